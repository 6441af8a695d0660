//! Responses in protobuf.

use futures_util::StreamExt;
use serde_json::{Value, json};

use super::{
    Content, Items, List, Reply,
    encode::{Body, Encoded, TEXT, stream},
};
use crate::{failure::Failure, protobuf};

const WATCH: &str = "application/vnd.kubernetes.protobuf;stream=watch";
const AGGREGATED_DISCOVERY: &str =
    "application/vnd.kubernetes.protobuf;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/// Returns the status, the media type and the body of a response.
pub(super) fn encode(reply: Reply) -> Encoded {
    let (code, mut content_type) = (reply.code, protobuf::MEDIA_TYPE);
    let object = match reply.content {
        Content::Object(object) | Content::Document(object) => object,
        #[cfg(feature = "signed-tokens")]
        Content::Keys(keys) => keys,
        Content::Written(written) => written.object,
        Content::Stored(stored) => stored.value(),
        Content::List(list) => of_list(list),
        Content::Discovery(document) => {
            content_type = AGGREGATED_DISCOVERY;
            document
        }
        Content::Text(text) => {
            return Encoded { code, content_type: TEXT, body: Body::Whole(text.into_owned().into()) };
        }
        Content::Bytes(media_type, bytes) => {
            return Encoded { code, content_type: media_type, body: Body::Whole(bytes) };
        }
        Content::Watch(watch) => {
            let frames = watch.map(|line| line.map(|line| protobuf::watch_frame(&line)));
            return Encoded { code, content_type: WATCH, body: Body::Stream(stream(frames)) };
        }
    };
    match protobuf::encode(&object) {
        Ok(message) => Encoded { code, content_type, body: Body::Whole(message) },
        Err(problem) => encode(Reply::of_failure(&Failure::internal_error(&problem))),
    }
}

fn of_list(list: List) -> Value {
    let metadata = list.metadata();
    let items = match list.items {
        Items::Stored(items) => items.iter().map(|item| item.value()).collect(),
        Items::Objects(items) => items,
    };
    json!({ "apiVersion": list.api_version, "kind": list.kind, "metadata": metadata, "items": items })
}
