//! What happens to a request besides its processing: faults, the journal, and what controllers do after it.

use http::{HeaderValue, Response, header};
use tower::BoxError;

use super::{
    controllers::running,
    failure::Failure,
    faults::rules::{Outcome, Plan, refused, reset},
    request::Request,
    requests::ReceivedRequest,
    response::Reply,
    route::Route,
    service::{ApiServerService, Progress, ResponseBody, write},
    state::State,
};

impl ApiServerService {
    pub(super) async fn exchange(&self, request: Request) -> Result<Response<ResponseBody>, BoxError> {
        let route = Route::parse(request.uri.path());
        let received = ReceivedRequest::new(&request, &route);
        let Plan { delay, outcome } = self.admit(|state| state.faults.plan(&received, &state.resources))?;
        if !delay.is_zero() {
            tokio::time::sleep(delay).await;
            self.admit(|_| ())?;
        }
        match outcome {
            Outcome::Process => self.process(received, route, request, true).await,
            Outcome::Fail(failure, retry_after) => {
                self.state(|state| state.journal.record(received, Some(failure.code), &[], true));
                Ok(fail(failure, retry_after))
            }
            Outcome::Disconnect => {
                self.state(|state| state.journal.record(received, None, &[], true));
                Err(reset().into())
            }
            Outcome::LoseResponse => {
                self.process(received, route, request, false).await?;
                Err(reset().into())
            }
        }
    }

    /// Reads the state unless the server is stopped.
    fn admit<T>(&self, action: impl FnOnce(&mut State) -> T) -> Result<T, BoxError> {
        self.state(|state| if state.is_stopped { Err(refused().into()) } else { Ok(action(state)) })
    }

    /// Processes a request; the client may not get the response.
    async fn process(
        &self,
        received: ReceivedRequest,
        route: Route,
        request: Request,
        is_answered: bool,
    ) -> Result<Response<ResponseBody>, BoxError> {
        let mut received = Some(received);
        let mut record = |state: &mut State, progress: Progress| {
            if let Progress::Complete(response) = &progress
                && let Some(received) = received.take()
            {
                let code = is_answered.then(|| response.status().as_u16());
                let writes = state.store.take_writes();
                state.journal.record(received, code, &writes, !is_answered);
                running::settle_after(state, writes);
            }
            progress
        };
        let mut progress = self.state(|state| {
            let progress = self.respond(state, route, request);
            record(state, progress)
        });
        loop {
            let mut call = match progress {
                Progress::Complete(response) => return Ok(response),
                Progress::Waiting(call) => call,
            };
            call.external.wait().await;
            progress = self.admit(|state| {
                let progress = self.handle(state, *call);
                record(state, progress)
            })?;
        }
    }
}

fn fail(failure: Failure, retry_after: Option<u64>) -> Response<ResponseBody> {
    let mut response = write(Err::<Reply, _>(failure), &[]);
    if let Some(seconds) = retry_after {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}
