//! The trait `EventStore` of happenstance, over the HTTP interface of edition A.

mod http;
mod rows;
mod store;
mod wire;

pub use http::{Answer, HttpError, Server};
pub use store::HttpStore;
