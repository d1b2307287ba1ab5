use futures_core::Stream;
use happenstance_core::{
    AppendCondition, AppendError, ConditionViolated, Event, EventId, EventStore, Query, ReadOptions,
    SequencePosition, SequencedEvent, StoreLimit,
};
use serde_json::{Value, json};

use crate::http::{Answer, HttpError, Server};
use crate::rows::Rows;
use crate::wire::{conditions_to_json, event_of_line, event_to_json, number, query_to_json, store_id};

/// Events of a page. Small enough for reads of the suite to take several pages.
const EVENTS_PER_PAGE: usize = 50;

/// The store behind a server. Every call blocks its thread until the server has answered.
#[derive(Debug)]
pub struct HttpStore {
    server: Server,
    /// The store ID, which belongs to every position.
    id: String,
}

impl HttpStore {
    /// Asks the server at a URL for its store ID.
    pub fn connect(url: &str) -> Result<Self, HttpError> {
        let server = Server::new(url);
        let id = last_event(&server)?.store;
        Ok(Self { server, id })
    }

    fn events(&self, query: &Query, options: ReadOptions) -> Result<Vec<SequencedEvent>, HttpError> {
        let mut read = PagedRead::of(query, options);
        let mut events = Vec::new();
        while let Some(request) = read.next_request(events.len()) {
            let answer = self.server.send("QUERY", "/events", &request)?;
            let page = page_of(&answer)?;
            read.follow(&page, answer.head);
            events.extend(page.events);
        }
        Ok(events)
    }
}

impl EventStore for HttpStore {
    type Error = HttpError;

    fn read(
        &self,
        query: &Query,
        options: ReadOptions,
    ) -> impl Stream<Item = Result<SequencedEvent, HttpError>> {
        Rows::of(match self.events(query, options) {
            Ok(events) => events.into_iter().map(Ok).collect(),
            Err(error) => vec![Err(error)],
        })
    }

    async fn append(
        &self,
        events: &[Event],
        condition: Option<&AppendCondition>,
    ) -> Result<SequencePosition, AppendError<HttpError>> {
        // The interface takes a write that only checks conditions; the trait does not.
        if events.is_empty() {
            return Err(AppendError::NoEvents);
        }
        let written: Value = events.iter().map(event_to_json).collect();
        let mut request = json!({ "events": written });
        if let Some(condition) = condition {
            request["conditions"] = conditions_to_json(condition, &self.id);
        }
        let answer = self
            .server
            .send("POST", "/write", &request)
            .map_err(AppendError::Store)?;
        match answer.status {
            200 => last_sequence(&answer).map_err(AppendError::Store),
            _ => Err(append_error(&answer, events)),
        }
    }

    async fn head(&self) -> Result<Option<SequencePosition>, HttpError> {
        Ok(last_event(&self.server)?.head.and_then(SequencePosition::new))
    }

    async fn contains_event_id(&self, id: EventId) -> Result<bool, HttpError> {
        let answer = last_event(&self.server)?;
        // Sequences have no gaps, and events are never removed.
        Ok(store_id(&answer.store)? == id.store() && answer.head >= Some(id.position().get()))
    }
}

fn last_event(server: &Server) -> Result<Answer, HttpError> {
    let request = json!({ "query": "*", "backwards": true, "limit": 1 });
    let answer = server.send("QUERY", "/events", &request)?;
    page_of(&answer).map(|_| answer)
}

/// Asks for page after page, of the store as it was when the first one began.
struct PagedRead {
    query: Value,
    after: u64,
    before: Option<u64>,
    backwards: bool,
    limit: usize,
    ended: bool,
}

impl PagedRead {
    fn of(query: &Query, options: ReadOptions) -> Self {
        // `from` is where the read starts: the older end of it, or backwards the newer one.
        let (oldest, newest) = match options.backwards {
            false => (options.from, options.to),
            true => (options.to, options.from),
        };
        Self {
            query: query_to_json(query),
            after: oldest.map_or(0, |position| number(position) - 1),
            before: newest.and_then(SequencePosition::next).map(number),
            backwards: options.backwards,
            limit: options.limit.unwrap_or(usize::MAX),
            ended: false,
        }
    }

    fn next_request(&self, received: usize) -> Option<Value> {
        let limit = (self.limit - received).min(EVENTS_PER_PAGE);
        if self.ended || limit == 0 {
            return None;
        }
        let mut request = json!({ "query": self.query, "afterSequence": self.after, "limit": limit });
        if let Some(before) = self.before {
            request["beforeSequence"] = before.into();
        }
        if self.backwards {
            request["backwards"] = true.into();
        }
        Some(request)
    }

    fn follow(&mut self, page: &Page, head: Option<u64>) {
        self.ended = !page.has_more;
        let last = page.events.last().map(|event| event.position.get());
        if self.backwards {
            self.before = last.or(self.before);
        } else {
            self.after = last.unwrap_or(self.after);
            self.before = self.before.or(head.map(|head| head + 1));
        }
    }
}

struct Page {
    events: Vec<SequencedEvent>,
    has_more: bool,
}

fn page_of(answer: &Answer) -> Result<Page, HttpError> {
    if answer.status != 200 {
        return Err(HttpError::unexpected("QUERY /events", answer));
    }
    let store = store_id(&answer.store)?;
    let lines = answer.body.lines().map(serde_json::from_str);
    let mut lines = lines
        .collect::<Result<Vec<Value>, _>>()
        .map_err(|error| HttpError(error.to_string()))?;
    let trailer = lines.pop().and_then(|line| line["hasMore"].as_bool());
    let has_more = trailer.ok_or_else(|| HttpError("a page has no trailer".to_owned()))?;
    let events = lines
        .iter()
        .map(|line| event_of_line(line, store))
        .collect::<Result<_, _>>()?;
    Ok(Page { events, has_more })
}

fn body_of(answer: &Answer) -> Value {
    serde_json::from_str(&answer.body).unwrap_or(Value::Null)
}

fn last_sequence(answer: &Answer) -> Result<SequencePosition, HttpError> {
    let body = body_of(answer);
    let last = body["events"].as_array().and_then(|events| events.last());
    last.and_then(|event| SequencePosition::new(event["sequence"].as_u64()?))
        .ok_or_else(|| HttpError::unexpected("POST /write", answer))
}

fn append_error(answer: &Answer, events: &[Event]) -> AppendError<HttpError> {
    let body = body_of(answer);
    let error = HttpError::unexpected("POST /write", answer);
    match (answer.status, body["error"].as_str()) {
        (409, Some("ConcurrencyException")) => {
            let sequence = body["conflict"]["sequence"].as_u64();
            let position = sequence.and_then(SequencePosition::new);
            position
                .map_or(ConditionViolated::unspecified(), ConditionViolated::at)
                .into()
        }
        (503, Some("WriteQueueFull")) => AppendError::Busy(error),
        (400 | 413, _) => match limit_named(body["message"].as_str().unwrap_or_default(), events) {
            Some((limit, len)) => AppendError::ExceedsStoreLimit { limit, len },
            None => AppendError::Store(error),
        },
        _ => AppendError::Store(error),
    }
}

/// The limit whose setting a message names, and how much of it the events have.
fn limit_named(message: &str, events: &[Event]) -> Option<(StoreLimit, usize)> {
    let most = |count: fn(&Event) -> usize| events.iter().map(count).max().unwrap_or(0);
    if message.contains("maxEventsPerWrite") {
        Some((StoreLimit::EventsPerBatch, events.len()))
    } else if message.contains("maxTagsPerEvent") {
        Some((StoreLimit::TagsPerEvent, most(|event| event.tags().len())))
    } else if message.contains("maxEventSize") {
        Some((StoreLimit::EventDataLen, most(|event| event.data().len())))
    } else {
        None
    }
}
