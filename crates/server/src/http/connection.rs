//! One connection: hyper reads the requests, a responder answers them.

use std::{
    future::{Future, poll_fn},
    mem,
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    task::Poll,
};

use hyper::{
    HeaderMap, Request, Response,
    body::{Body as _, Incoming},
    rt,
    server::conn::http1,
    service::service_fn,
};

use crate::{
    answer::Answer,
    limits::{MAX_BODY_BYTES, MAX_HEAD_BYTES},
    registry::{Entry, Verdict},
};

/// How a model answers requests.
pub trait Respond: Send + Sync + 'static {
    /// Answers the request with this number on its connection, counted from 0.
    ///
    /// # Errors
    /// The model has lost the request; its connection is closed.
    fn respond(&self, number: u64) -> impl Future<Output = anyhow::Result<[u8; 8]>> + Send;

    /// Counts a connection that was accepted on the calling thread.
    fn accepted(&self);
}

/// What the requests of a connection share.
struct Shared<R> {
    entry: Arc<Entry>,
    responder: Arc<R>,
    requests: AtomicU64,
}

impl<R: Respond> Shared<R> {
    /// `fields` is the request's map of header fields, which goes back to hyper with the answer, empty: it keeps it for
    /// the next request and saves two allocations.
    async fn answer(
        self: Arc<Self>,
        fields: HeaderMap,
        body: Option<Box<Incoming>>,
    ) -> anyhow::Result<Response<Answer>> {
        if let Some(body) = body {
            skip(*body).await?;
        }
        // One request of a connection is answered at a time.
        let number = self.requests.load(Ordering::Relaxed);
        self.requests.store(number + 1, Ordering::Relaxed);
        let mut response = Response::new(Answer::new(self.responder.respond(number).await?));
        *response.headers_mut() = fields;
        self.entry.answered();
        Ok(response)
    }
}

/// Reads a body and throws it away, so that the connection can go on; hyper ends one whose body nobody reads. A body that is
/// too large is left unread.
async fn skip(mut body: Incoming) -> hyper::Result<()> {
    let mut length = 0;
    while length <= MAX_BODY_BYTES {
        match poll_fn(|context| pin!(&mut body).poll_frame(context)).await {
            Some(frame) => length += frame?.data_ref().map_or(0, |data| data.len() as u64),
            None => break,
        }
    }
    Ok(())
}

/// Serves a connection until it ends or its entry in the registry says so. `io` is to report to the same entry what it
/// receives.
pub async fn serve<I, R>(io: I, entry: Arc<Entry>, responder: Arc<R>)
where
    I: rt::Read + rt::Write + Unpin,
    R: Respond,
{
    let shared = Arc::new(Shared { entry: Arc::clone(&entry), responder, requests: AtomicU64::new(0) });
    let service = service_fn(move |mut request: Request<Incoming>| {
        shared.entry.begun();
        let mut fields = mem::take(request.headers_mut());
        fields.clear();
        // Before the answer is begun: the request holds the bytes that were read, and is too large to be moved about.
        let body = if request.body().is_end_stream() {
            drop(request);
            None
        } else {
            Some(Box::new(request.into_body()))
        };
        Arc::clone(&shared).answer(fields, body)
    });
    let connection = http1::Builder::new()
        .auto_date_header(false)
        // A client that ends its side behind a request still gets the answer, as from a thread.
        .half_close(true)
        .max_header_size(MAX_HEAD_BYTES)
        .max_buf_size(MAX_HEAD_BYTES)
        .serve_connection(io, service);
    let mut connection = pin!(connection);
    let (mut begun, mut finishing) = (false, false);
    poll_fn(|context| {
        if !begun {
            begun = true;
            entry.wake_on_verdict(context);
        }
        match entry.verdict() {
            Verdict::Serve => {}
            Verdict::Finish => {
                if !finishing {
                    finishing = true;
                    connection.as_mut().graceful_shutdown();
                }
            }
            Verdict::Drop => return Poll::Ready(()),
        }
        match connection.as_mut().poll(context) {
            // What can go wrong is the client's doing, and the client knows: it is gone, or was told by a status.
            Poll::Ready(_) => Poll::Ready(()),
            // What the poll just made could not bring out, waiting will not: the client reads nothing, or sends half a
            // head.
            Poll::Pending if finishing && !entry.is_busy() => Poll::Ready(()),
            Poll::Pending => Poll::Pending,
        }
    })
    .await;
}
