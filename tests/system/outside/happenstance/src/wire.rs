use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use happenstance_core::{
    AppendCondition, Event, EventId, EventType, Query, QueryItem, RecordedAt, SequencePosition,
    SequencedEvent, StoreId, Tag,
};
use serde_json::{Value, json};

use crate::http::HttpError;

/// The largest number that the interface takes: larger ones are not exact in JSON.
const NUMBER_MAX: u64 = (1 << 53) - 1;

/// A tag of the library is one text. Every tag becomes a value of this identifier.
const TAG: &str = "tag";

/// A position as a number of the interface. A store never gets as far as the largest one.
pub fn number(position: SequencePosition) -> u64 {
    position.get().min(NUMBER_MAX)
}

/// An event as `POST /write` takes it. Data and metadata may be any bytes, so the payload has them in Base64.
pub fn event_to_json(event: &Event) -> Value {
    let mut payload = json!({ "data": STANDARD.encode(event.data()) });
    if let Some(metadata) = event.metadata() {
        payload["metadata"] = STANDARD.encode(metadata).into();
    }
    let mut written = json!({ "type": event.event_type().as_str(), "payload": payload.to_string() });
    if !event.tags().is_empty() {
        let tags: Vec<&str> = event.tags().iter().map(Tag::as_str).collect();
        written["identifiers"] = json!({ TAG: tags });
    }
    written
}

/// A query as the interface takes it.
pub fn query_to_json(query: &Query) -> Value {
    match query.items() {
        None => json!("*"),
        Some(items) => items.iter().map(item_to_json).collect(),
    }
}

fn item_to_json(item: &QueryItem) -> Value {
    let mut written = json!({});
    if !item.types().is_empty() {
        written["types"] = item.types().iter().map(EventType::as_str).collect();
    }
    if !item.tags().is_empty() {
        let tags = item.tags().iter();
        written["identifiers"] = tags
            .map(|tag| json!({ "name": TAG, "value": tag.as_str() }))
            .collect();
    }
    written
}

/// The conditions of a write, one for each guard. A position belongs to the store with this ID.
pub fn conditions_to_json(condition: &AppendCondition, store: &str) -> Value {
    let guards = condition.guards().iter();
    guards
        .map(|guard| {
            let query = query_to_json(&guard.query);
            match guard.after {
                None => json!({ "failIfEventsMatch": query }),
                Some(after) => json!({
                    "failIfEventsMatch": query,
                    "afterSequence": number(after),
                    "store": store,
                }),
            }
        })
        .collect()
}

/// The bytes of a store ID, which is a UUID.
pub fn store_id(text: &str) -> Result<StoreId, HttpError> {
    let digits = text.replace('-', "");
    u128::from_str_radix(&digits, 16)
        .map(|number| StoreId::from_bytes(number.to_be_bytes()))
        .map_err(|_| HttpError(format!("the store ID {text:?} is no UUID")))
}

/// The event of a line of a page, in the store with this ID.
pub fn event_of_line(line: &Value, store: StoreId) -> Result<SequencedEvent, HttpError> {
    parse(line, store).ok_or_else(|| HttpError(format!("a page has this line, which is no event: {line}")))
}

fn parse(line: &Value, store: StoreId) -> Option<SequencedEvent> {
    let position = SequencePosition::new(line["sequence"].as_u64()?)?;
    let payload: Value = serde_json::from_str(line["payload"].as_str()?).ok()?;
    let mut event = Event::new(line["type"].as_str()?, bytes(&payload["data"])?).ok()?;
    event = event.with_tags(tags(&line["identifiers"][TAG])?.into_iter().collect());
    if !payload["metadata"].is_null() {
        event = event.with_metadata(bytes(&payload["metadata"])?);
    }
    let time = humantime::parse_rfc3339(line["time"].as_str()?).ok()?;
    let since = time.duration_since(std::time::UNIX_EPOCH).ok()?;
    let recorded_at = RecordedAt::from_millis(since.as_millis().try_into().ok()?);
    Some(SequencedEvent::new(
        position,
        EventId::new(store, position),
        recorded_at,
        event,
    ))
}

fn bytes(text: &Value) -> Option<Vec<u8>> {
    STANDARD.decode(text.as_str()?).ok()
}

/// One value is a text, several are an array.
fn tags(values: &Value) -> Option<Vec<Tag>> {
    match values {
        Value::Null => Some(Vec::new()),
        Value::String(text) => Some(vec![Tag::new(text.as_str()).ok()?]),
        Value::Array(texts) => texts.iter().map(|text| Tag::new(text.as_str()?).ok()).collect(),
        _ => None,
    }
}
