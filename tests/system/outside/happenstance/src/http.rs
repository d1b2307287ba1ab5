use std::fmt;

use serde_json::Value;

/// A request that brought no answer, or one that its caller does not expect.
#[derive(Debug)]
pub struct HttpError(pub String);

impl fmt::Display for HttpError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl std::error::Error for HttpError {}

impl HttpError {
    /// The answer is not one that the interface has for the request.
    pub fn unexpected(request: &str, answer: &Answer) -> Self {
        Self(format!("{request}: {} {}", answer.status, answer.body.trim_end()))
    }
}

/// The answer to a request, whatever its status.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub body: String,
    /// The header `X-Service-Store`; empty without one.
    pub store: String,
    /// The header `X-Service-Head`, where there is one.
    pub head: Option<u64>,
}

/// Sends requests to one server.
#[derive(Debug)]
pub struct Server {
    url: String,
    agent: ureq::Agent,
}

impl Server {
    /// The server at a URL such as `http://127.0.0.1:8085`.
    pub fn new(url: &str) -> Self {
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .allow_non_standard_methods(true)
            .build();
        Self {
            url: url.to_owned(),
            agent: config.new_agent(),
        }
    }

    /// Sends a request with a JSON body and reads the whole answer.
    pub fn send(&self, method: &str, path: &str, body: &Value) -> Result<Answer, HttpError> {
        let failed = |error: &dyn fmt::Display| HttpError(format!("{method} {path}: {error}"));
        let request = ureq::http::Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.url))
            .body(body.to_string())
            .map_err(|error| failed(&error))?;
        let mut response = self.agent.run(request).map_err(|error| failed(&error))?;
        let header = |name: &str| {
            let value = response.headers().get(name)?;
            value.to_str().ok().map(str::to_owned)
        };
        let store = header("x-service-store").unwrap_or_default();
        let head = header("x-service-head").and_then(|text| text.parse().ok());
        let status = response.status().as_u16();
        let body = response.body_mut().with_config().limit(u64::MAX).read_to_string();
        Ok(Answer {
            status,
            body: body.map_err(|error| failed(&error))?,
            store,
            head,
        })
    }
}
