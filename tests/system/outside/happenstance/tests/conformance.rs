//! The suite of happenstance, with a server of its own for each store that a rule opens.
//!
//! `EVENTSTORE_SERVERS` is the URL of the program that starts them, `server_starter.ts`.

use std::future::Future;

use eventstore_happenstance_check::{Answer, HttpStore, Server};
use happenstance_testkit::{Capability, Fixture};
use serde_json::Value;

struct OwnServer {
    starter: Server,
    url: String,
}

impl OwnServer {
    fn new() -> Self {
        let starter =
            Server::new(&std::env::var("EVENTSTORE_SERVERS").expect("EVENTSTORE_SERVERS is not set"));
        let url = sent(&starter, "POST", "/").body;
        Self { starter, url }
    }

    fn path(&self) -> String {
        format!("/{}", self.url.rsplit(':').next().unwrap_or_default())
    }
}

fn sent(starter: &Server, method: &str, path: &str) -> Answer {
    let answer = starter
        .send(method, path, &Value::Null)
        .expect("the program that starts servers answers");
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer
}

impl Drop for OwnServer {
    fn drop(&mut self) {
        sent(&self.starter, "DELETE", &self.path());
    }
}

impl Fixture for OwnServer {
    type Store = HttpStore;

    const SECOND_HANDLE: Capability = Capability::SUPPORTED;
    const REOPEN: Capability = Capability::SUPPORTED;
    const MID_BATCH_FAULT: Capability = Capability::declined(
        "a write is one database transaction inside the server, where no client can fail it",
    );
    const READ_FAULT: Capability = Capability::SUPPORTED;
    const HELD_ABOVE_FRONTIER: Capability =
        Capability::declined("an event that is committed is in every later read, so none is held back");

    // The settings of the servers: see happenstance.ts.
    const MAX_TAGS_PER_EVENT: Option<usize> = Some(64);
    const MAX_EVENTS_PER_BATCH: Option<usize> = Some(128);

    fn connect(&self) -> impl Future<Output = HttpStore> {
        std::future::ready(HttpStore::connect(&self.url).expect("the server answers"))
    }

    /// Without its server, every read fails.
    fn arm_read_fault(&self) -> impl Future<Output = ()> {
        sent(&self.starter, "DELETE", &self.path());
        std::future::ready(())
    }

    fn reopen(&self) -> impl Future<Output = ()> {
        sent(&self.starter, "POST", &self.path());
        std::future::ready(())
    }
}

happenstance_testkit::event_store_conformance!(
    mod_name = rules,
    emit = happenstance_testkit::emit_blocking,
    fixture = OwnServer::new()
);

happenstance_testkit::event_store_concurrency_conformance!(
    mod_name = concurrency,
    emit = happenstance_testkit::emit_concurrency_blocking,
    fixture = OwnServer::new()
);

happenstance_testkit::event_store_model_conformance!(
    mod_name = model,
    emit = happenstance_testkit::emit_model_blocking,
    fixture = OwnServer::new()
);
