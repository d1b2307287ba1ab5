use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_core::Stream;

/// A stream of what a read has already brought.
pub struct Rows<T>(VecDeque<T>);

impl<T> Rows<T> {
    pub fn of(rows: Vec<T>) -> Self {
        Self(rows.into())
    }
}

impl<T: Unpin> Stream for Rows<T> {
    type Item = T;

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<T>> {
        Poll::Ready(self.0.pop_front())
    }
}
