//! What is registered in the cluster.

use std::fmt;

use k8s_openapi::{
    api::admissionregistration::v1::{MutatingWebhookConfiguration, ValidatingWebhookConfiguration},
    apiextensions_apiserver::pkg::apis::apiextensions::v1::{CustomResourceConversion, CustomResourceDefinition},
    apimachinery::pkg::apis::meta::v1::ObjectMeta,
};

use super::DevError;
use crate::{
    Client,
    client::{
        Error, Object, Resources,
        scope::{SingleObject, Unscoped},
    },
    webhook::{WebhookClient, Webhooks},
};

/// The label of configurations, and the annotation of definitions.
const MARK: &str = "webhook.crdkit.dev/dev";

/// The webhooks of a program, in a cluster.
pub(super) struct Registration {
    client: Client,
    webhooks: Webhooks,
    /// The name of the configurations.
    name: String,
    /// The definitions of the kinds that are converted.
    definitions: Vec<String>,
}

impl Registration {
    pub(super) fn new(client: &Client, webhooks: &Webhooks) -> Self {
        Self {
            client: client.clone(),
            webhooks: webhooks.clone(),
            name: format!("{}-dev", webhooks.name()),
            definitions: webhooks.converters.iter().map(|converter| converter.definition_name()).collect(),
        }
    }

    /// Replaces what an earlier start of the program left behind.
    pub(super) async fn register(&self, client: &WebhookClient) -> Result<(), DevError> {
        let configurations = self.webhooks.configurations(client)?;
        self.replace("ValidatingWebhookConfiguration", configurations.validating).await?;
        self.replace("MutatingWebhookConfiguration", configurations.mutating).await?;
        let conversion = CustomResourceConversion::from(client.conversion());
        for name in &self.definitions {
            self.set_conversion(name, &conversion).await?;
        }
        Ok(())
    }

    /// Removes everything.
    pub(super) async fn unregister(&self) -> Result<(), DevError> {
        // As much as possible, even if one of them fails.
        let removed = [
            self.replace::<ValidatingWebhookConfiguration>("ValidatingWebhookConfiguration", None).await,
            self.replace::<MutatingWebhookConfiguration>("MutatingWebhookConfiguration", None).await,
        ];
        let mut result = removed.into_iter().collect();
        for name in &self.definitions {
            result = self.restore_conversion(name).await.and(result);
        }
        result
    }

    async fn replace<K>(&self, kind: &'static str, configuration: Option<K>) -> Result<(), DevError>
    where
        K: Object + kube_core::Resource<DynamicType = ()>,
        Unscoped: SingleObject<K>,
    {
        let all: Resources<K> = self.client.resources();
        if let Some(existing) = all.get_opt(&self.name).await? {
            if !existing.meta().labels.as_ref().is_some_and(|labels| labels.contains_key(MARK)) {
                return match configuration {
                    Some(_) => Err(DevError::OtherOwner { kind, name: self.name.clone(), label: MARK }),
                    None => Ok(()),
                };
            }
            match all.delete(&self.name).await {
                Err(error) if !error.is_not_found() => return Err(error.into()),
                _ => {}
            }
        }
        let Some(mut configuration) = configuration else { return Ok(()) };
        *configuration.meta_mut() = ObjectMeta {
            name: Some(self.name.clone()),
            labels: Some([(MARK.to_owned(), "true".to_owned())].into()),
            ..ObjectMeta::default()
        };
        all.create(&configuration).await?;
        Ok(())
    }

    /// Sets the conversion of a definition. An annotation has the one before.
    async fn set_conversion(&self, name: &str, conversion: &CustomResourceConversion) -> Result<(), DevError> {
        let set = |definition: &mut CustomResourceDefinition| {
            let before = definition.spec.conversion.replace(conversion.clone());
            let annotations = definition.metadata.annotations.get_or_insert_default();
            // That of an earlier start was replaced by this program.
            annotations.entry(MARK.to_owned()).or_insert_with(|| serde_json::json!(before).to_string());
        };
        match self.client.resources::<CustomResourceDefinition>().update(name, set).await {
            Ok(_) => Ok(()),
            Err(error) if error.is_not_found() => Err(DevError::NoDefinition(name.to_owned())),
            Err(error) => Err(Error::from(error).into()),
        }
    }

    /// Sets the conversion that a definition had before, unless somebody else has changed it.
    async fn restore_conversion(&self, name: &str) -> Result<(), DevError> {
        let restore = |definition: &mut CustomResourceDefinition| {
            let annotations = definition.metadata.annotations.get_or_insert_default();
            let Some(before) = annotations.remove(MARK) else { return };
            let conversion = definition.spec.conversion.as_ref().and_then(|conversion| conversion.webhook.as_ref());
            let config = conversion.and_then(|webhook| webhook.client_config.as_ref());
            if config.is_some_and(|config| config.url.is_some()) {
                definition.spec.conversion = serde_json::from_str(&before).unwrap_or_default();
            }
        };
        match self.client.resources::<CustomResourceDefinition>().update(name, restore).await {
            Ok(_) => Ok(()),
            Err(error) if error.is_not_found() => Ok(()),
            Err(error) => Err(Error::from(error).into()),
        }
    }
}

/// The names of all objects.
impl fmt::Display for Registration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "validatingwebhookconfigurations/{0}, mutatingwebhookconfigurations/{0}", self.name)?;
        self.definitions.iter().try_for_each(|name| write!(f, ", customresourcedefinitions/{name}"))
    }
}
