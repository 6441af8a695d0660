//! The files of an operator.

use std::path::Path;

use crdkit::{
    __internal::{
        emit::files::{Files, file_name},
        yaml::{order::Order, write},
    },
    emit::to_yaml,
};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use serde_json::{Value, json};

use super::{
    Operator, chart,
    objects::{ManifestFile, NAMESPACE, SERVICE_MONITOR},
};
use crate::samples::{sample_file_name, samples};

impl Operator {
    /// Adds the files of the operator to those of the definitions. `beside` are the other objects of the set.
    pub(crate) fn add_files(&self, crds: &[CustomResourceDefinition], beside: &[Value], files: Files) -> Files {
        let parts = self.parts(crds, beside);
        let mut writer = Writer { files };
        if let Some(path) = &self.yaml {
            writer.yaml(path, crds, self.installed_parts(crds, beside));
        }
        if let Some(directory) = &self.kustomize {
            writer.kustomize(directory, crds, &parts);
        }
        if let Some(directory) = &self.helm {
            writer.helm(directory, self, crds, &parts);
        }
        if let Some(directory) = &self.samples {
            writer.samples(directory, crds);
        }
        writer.files
    }
}

struct Writer {
    files: Files,
}

impl Writer {
    fn yaml(
        &mut self,
        path: &Path,
        crds: &[CustomResourceDefinition],
        (first, last): (Vec<ManifestFile>, Vec<ManifestFile>),
    ) {
        let definitions = crds.iter().map(|crd| format!("---\n{}", to_yaml(crd)));
        let [first, last] = [first, last].map(|parts| write::documents(parts.iter().flat_map(|part| &part.objects)));
        let text: String = std::iter::once(first).chain(definitions).chain([last]).collect();
        self.files.add(path, &text);
    }

    fn kustomize(&mut self, directory: &Path, crds: &[CustomResourceDefinition], parts: &[ManifestFile]) {
        let component = directory.join(SERVICE_MONITOR);
        for owned in [directory, &directory.join("crds"), &component] {
            self.files.own(owned);
        }
        let mut resources = Vec::new();
        for crd in crds {
            let path = format!("crds/{}", file_name(crd));
            self.files.add(&directory.join(&path), &to_yaml(crd));
            resources.push(path);
        }
        for part in parts {
            let file = format!("{}.yaml", part.name);
            if part.name == SERVICE_MONITOR {
                self.files.add(&component.join(&file), &write::documents(&part.objects));
                let kustomization = kustomization("v1alpha1", "Component", &[file]);
                self.files.add(&component.join("kustomization.yaml"), &kustomization);
            } else {
                self.files.add(&directory.join(&file), &write::documents(&part.objects));
                resources.push(file);
            }
        }
        self.files.add(&directory.join("kustomization.yaml"), &kustomization("v1beta1", "Kustomization", &resources));
    }

    fn helm(
        &mut self,
        directory: &Path,
        operator: &Operator,
        crds: &[CustomResourceDefinition],
        parts: &[ManifestFile],
    ) {
        let (templates, definitions) = (directory.join("templates"), directory.join("crds"));
        for owned in [directory, &templates, &definitions] {
            self.files.own(owned);
        }
        for crd in crds {
            self.files.add(&definitions.join(file_name(crd)), &to_yaml(crd));
        }
        self.files.add(&directory.join("Chart.yaml"), &chart::metadata(operator));
        self.files.add(&directory.join("values.yaml"), &chart::values(operator));
        for part in parts.iter().filter(|part| part.name != NAMESPACE) {
            let template = chart::template(operator, crds, part);
            self.files.add(&templates.join(format!("{}.yaml", part.name)), &template);
        }
    }

    fn samples(&mut self, directory: &Path, crds: &[CustomResourceDefinition]) {
        self.files.own(directory);
        for crd in crds {
            for sample in samples(crd) {
                self.files.add(&directory.join(sample_file_name(crd, &sample)), sample.to_yaml());
            }
        }
    }
}

fn kustomization(version: &str, kind: &str, resources: &[String]) -> String {
    let object = json!({
        "apiVersion": format!("kustomize.config.k8s.io/{version}"),
        "kind": kind,
        "resources": resources,
    });
    write::document(&object, Order::MANIFEST)
}
