//! Tables and ratios.

use std::fmt;

use crdkit_benches::{Results, Samples, Table};

use crate::{
    crd::Calls,
    form::Form,
    measurement::{Measurements, Series, Step},
    options::Options,
};

/// What came out.
#[derive(Debug)]
pub(crate) struct Report<'a> {
    options: &'a Options,
    measurements: &'a Measurements,
    calls: Option<Calls>,
}

/// Which of two times a ratio is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Time {
    Wall,
    Cpu,
}

impl Time {
    const ALL: [Self; 2] = [Self::Wall, Self::Cpu];

    fn name(self) -> &'static str {
        match self {
            Self::Wall => "wall",
            Self::Cpu => "cpu",
        }
    }

    fn of(self, series: &Series) -> &Samples {
        match self {
            Self::Wall => &series.wall,
            Self::Cpu => &series.cpu,
        }
    }
}

/// Checking is mostly single-threaded: without other load, its wall-clock time equals its processor time.
const QUIET: f64 = 1.1;

impl<'a> Report<'a> {
    pub(crate) fn new(options: &'a Options, measurements: &'a Measurements, calls: Option<Calls>) -> Self {
        Self { options, measurements, calls }
    }

    /// Whether the compiler had the machine for itself.
    fn is_quiet(&self) -> bool {
        Form::ALL.into_iter().all(|form| {
            let series = self.measurements.of(form, Step::Check);
            series.wall.median() <= QUIET * series.cpu.median()
        })
    }

    /// The time that ratios without a suffix are made of.
    fn basis(&self) -> Time {
        if self.is_quiet() { Time::Wall } else { Time::Cpu }
    }

    /// The median of the rounds' ratios: what is compared was measured one after the other.
    fn ratio(&self, form: Form, step: Step, time: Time) -> f64 {
        self.ratios_of_rounds(form, step, time).median()
    }

    fn ratios_of_rounds(&self, form: Form, step: Step, time: Time) -> Samples {
        let samples = |form| time.of(self.measurements.of(form, step));
        samples(form).over(samples(Form::Serde))
    }

    /// States all ratios under flat keys.
    pub(crate) fn state(&self, results: &mut Results) {
        for step in Step::ALL {
            let key = step.key();
            let keys = [
                (Form::Crdkit, key.to_owned()),
                (Form::OwnSerde, format!("own_serde_{key}")),
                (Form::Kube, format!("{key}_kube_derive")),
                (Form::Schemars, format!("{key}_schemars")),
            ];
            for (form, key) in keys {
                let ratio = |time| self.ratio(form, step, time);
                results.figure(format!("{key}_vs_serde"), ratio(self.basis()));
                for time in Time::ALL {
                    let suffix = time.name();
                    results.figure(format!("{key}_vs_serde_{suffix}"), ratio(time));
                }
            }
        }
        let peak = |form| self.measurements.of(form, Step::Release).peak.median();
        results.figure("own_serde_peak_vs_serde", peak(Form::OwnSerde) / peak(Form::Serde));
        let size = |form| self.measurements.size(form);
        results.figure("own_serde_program_size_vs_serde", size(Form::OwnSerde) / size(Form::Serde));
        if let Some(calls) = self.calls {
            results.figure("crd_speedup", calls.speedup());
            results.figure("crd_ns", calls.crdkit);
            results.figure("crd_kube_derive_ns", calls.kube);
        }
        results.note("basis", self.basis().name());
        results.note("rounds", self.options.rounds);
        results.note("crds", self.options.crds);
    }

    fn times(&self, time: Time) -> Table {
        let mut table =
            Table::new(["what"].into_iter().map(str::to_owned).chain(Form::ALL.map(|form| form.to_string())));
        for step in Step::ALL {
            let cells = Form::ALL.map(|form| {
                let samples = time.of(self.measurements.of(form, step));
                let (median, min) = (samples.median(), samples.min());
                format!("{median:.2} ({min:.2})")
            });
            table.row([step.to_string()].into_iter().chain(cells));
        }
        table
    }

    fn ratios(&self) -> Table {
        let forms = [Form::Schemars, Form::Kube, Form::Crdkit, Form::OwnSerde];
        let mut table = Table::new(["against serde".to_owned()].into_iter().chain(forms.map(|form| form.to_string())));
        for step in Step::ALL {
            let cells = forms.map(|form| {
                let wall = self.ratios_of_rounds(form, step, Time::Wall);
                let cpu = self.ratio(form, step, Time::Cpu);
                format!("{} / {cpu:.2}", wall.with_range(|it| format!("{it:.2}")))
            });
            table.row([step.to_string()].into_iter().chain(cells));
        }
        table
    }

    fn memory(&self) -> Table {
        let mut table = Table::new(["MB, peak".to_owned()].into_iter().chain(Form::ALL.map(|form| form.to_string())));
        for step in [Step::Check, Step::Debug, Step::Release] {
            let cells = Form::ALL.map(|form| {
                let peak = self.measurements.of(form, step).peak.median();
                format!("{peak:.0}")
            });
            table.row([step.to_string()].into_iter().chain(cells));
        }
        let sizes = Form::ALL.map(|form| format!("{:.2}", self.measurements.size(form) / 1e3));
        table.row(["stripped program".to_owned()].into_iter().chain(sizes));
        table
    }
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Options { rounds, crds, types, .. } = self.options;
        writeln!(f, "{crds} custom resources, {} types, {rounds} rounds\n", crds * types.count())?;
        writeln!(f, "Seconds on the clock, median (minimum)\n\n{}", self.times(Time::Wall))?;
        writeln!(f, "Seconds of processors, median (minimum)\n\n{}", self.times(Time::Cpu))?;
        writeln!(f, "Ratios, medians of the rounds, clock (all rounds) / processors\n\n{}", self.ratios())?;
        writeln!(f, "{}", self.memory())?;
        if let Some(calls) = self.calls {
            let (kube, crdkit) = (calls.kube / 1000.0, calls.crdkit / 1000.0);
            let speedup = calls.speedup();
            writeln!(f, "crd(): kube-derive {kube:.1} µs, crdkit {crdkit:.1} µs, {speedup:.1} times faster")?;
        }
        match self.basis() {
            Time::Wall => writeln!(f, "The machine was quiet: the results are ratios of the clock."),
            Time::Cpu => writeln!(f, "The machine was busy: the results are ratios of processor time."),
        }
    }
}
