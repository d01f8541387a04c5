//! Serves connections on an event loop or a runtime until told to stop.

use std::{
    future::{Future, poll_fn},
    io,
    pin::pin,
    sync::Arc,
    task::Poll,
};

use tokio::{net::TcpStream, sync::watch};
use workloads::Timer;

use crate::{
    accept::accept,
    http::{Respond, SocketIo, serve},
    limits::GRACE,
    registry::{Registry, TICK},
    source::OpenSource,
};

/// Told to all loops of a server when it is to stop.
pub type Stop = watch::Receiver<bool>;

/// Serves every connection of the source until told to stop, then lets requests that are out end, for a bounded time.
pub async fn host<R: Respond>(source: OpenSource, timer: Arc<Timer>, responder: R, stop: Stop) {
    let registry = Arc::new(Registry::default());
    let responder = Arc::new(responder);
    let take = |stream: TcpStream| {
        stream.set_nodelay(true)?;
        responder.accepted();
        let (entry, responder) = (Arc::new(registry.enter()), Arc::clone(&responder));
        tokio::spawn(serve(SocketIo::new(stream, Arc::clone(&entry)), entry, responder));
        io::Result::Ok(())
    };
    // The source is dropped here, so nobody is accepted any more.
    either(accept(source, &timer, take), either(ticks(&registry, &timer), told(stop))).await;
    registry.finish();
    either(registry.empty(), timer.wait(GRACE)).await;
}

async fn ticks(registry: &Registry, timer: &Timer) {
    loop {
        timer.wait(TICK).await;
        registry.tick();
    }
}

/// Waits until told to stop, also by the end of whoever would tell.
pub async fn told(mut stop: Stop) {
    let _ = stop.wait_for(|stop| *stop).await;
}

/// Waits for the first of two to end.
pub async fn either(first: impl Future<Output = ()>, second: impl Future<Output = ()>) {
    let (mut first, mut second) = (pin!(first), pin!(second));
    poll_fn(|context| match first.as_mut().poll(context) {
        Poll::Ready(()) => Poll::Ready(()),
        Poll::Pending => second.as_mut().poll(context),
    })
    .await;
}
