import type { Scenario } from '../../conformance/flux/scenario.ts'
import {
  apply,
  chart,
  chartFrom,
  configMap,
  deployment,
  type Fields,
  failed,
  hook,
  job,
  notInstalled,
  patch,
  ready,
  refused,
  release,
  repository,
  stalled,
  step,
  story,
  type Texts,
  toVersion,
} from './story.ts'

const isVersion = (version: number) => ({ ref: 'rel/app', ready: 'True', version })
const one = [chart('1.0.0')]
const two = [chart('1.0.0'), chart('1.1.0')]
const bad = chart('1.1.0', { 'templates/bad.yaml': refused })
const detecting = (mode: string, more: Fields = {}) => ({ driftDetection: { mode, ...more } })
const changed = (value: string, ref = 'ConfigMap/app-cm') => ({ patch: { ref, patch: { data: { greeting: value } } } })
const handled = { ref: 'rel/app', handled: true as const }
const again = { reconcile: ['rel/app'] }
const annotated = (annotations: Fields, ref = 'rel/app') => ({ patch: { ref, patch: { metadata: { annotations } } } })
/** Asks for a pass, and for something besides, by the same token. */
const asking = (what: 'forceAt' | 'resetAt', token: string) =>
  annotated({ 'reconcile.fluxcd.io/requestedAt': token, [`reconcile.fluxcd.io/${what}`]: token })

const helmInstall = (files: Texts, ...args: readonly string[]) => ({
  helm: { args: ['install', 'app', 'CHART', ...args], chart: files },
})
const remote = { kubeConfig: { secretRef: { name: 'target' } } }
const kubeconfig = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'target' },
  stringData: { value: '${TARGET_KUBECONFIG}' },
}
const account = (name: string, verbs: readonly string[] = ['*']) => [
  { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name } },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: { name },
    rules: [{ apiGroups: [''], resources: ['secrets', 'configmaps'], verbs }],
  },
  {
    ...{ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'RoleBinding', metadata: { name } },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
    subjects: [{ kind: 'ServiceAccount', name }],
  },
]

export const clusterStories: readonly Scenario[] = [
  story('drift-corrected', 'drift is corrected', ['HR-086', 'HR-087', 'HR-049'], one, [
    step([apply(release(detecting('enabled')))], ready),
    step([changed('drifted'), again], { ref: 'rel/app', event: 'has been corrected' }, ready),
    step([again], handled),
  ]),
  story('drift-removed', 'an object that was deleted is made again', ['HR-086', 'HR-087'], one, [
    step([apply(release(detecting('enabled')))], ready),
    step([{ delete: { ref: 'ConfigMap/app-cm' } }, again], { ref: 'rel/app', event: 'has been corrected' }, ready),
  ]),
  story('drift-warn-removed', 'mode warn tells of a deleted object', ['HR-084', 'HR-086'], one, [
    step([apply(release(detecting('warn')))], ready),
    step([{ delete: { ref: 'ConfigMap/app-cm' } }, again], handled, { ref: 'rel/app', cond: ['Drifted', 'True'] }),
  ]),
  story('drift-extra-field', 'a field of somebody else is no drift', ['HR-085', 'HR-086'], one, [
    step([apply(release(detecting('enabled')))], ready),
    step(
      [
        { patch: { ref: 'ConfigMap/app-cm', patch: { data: { other: 'x' }, metadata: { labels: { mine: 'y' } } } } },
        again,
      ],
      handled,
      ready,
    ),
  ]),
  story(
    'drift-excluded',
    'objects that say so are left alone',
    ['HR-085'],
    [
      chart('1.0.0', {
        'templates/two.yaml': configMap(
          'two',
          { greeting: 'a' },
          { 'helm.toolkit.fluxcd.io/driftDetection': 'disabled' },
        ),
      }),
    ],
    [
      step([apply(release(detecting('enabled')))], ready),
      step([changed('drifted', 'ConfigMap/two'), again], handled, ready),
    ],
  ),
  story(
    'drift-ignored-path',
    'paths of some objects are ignored',
    ['HR-084', 'HR-085'],
    [chart('1.0.0', { 'templates/web.yaml': deployment('web') })],
    [
      step(
        [
          apply(
            release(detecting('enabled', { ignore: [{ paths: ['/spec/replicas'], target: { kind: 'Deployment' } }] })),
          ),
        ],
        ready,
      ),
      step([{ patch: { ref: 'apps/v1:Deployment/web', patch: { spec: { replicas: 2 } } } }, again], handled, ready),
    ],
  ),
  story(
    'drift-two',
    'several objects, corrected in one go',
    ['HR-086', 'HR-087'],
    [chart('1.0.0', { 'templates/two.yaml': configMap('two', { greeting: 'a' }) })],
    [
      step([apply(release(detecting('enabled')))], ready),
      step(
        [changed('drifted'), { delete: { ref: 'ConfigMap/two' } }, again],
        { ref: 'rel/app', event: 'has been corrected' },
        ready,
      ),
    ],
  ),
  story('drift-client-side', 'a release that was applied client-side', ['HR-085', 'HR-087'], one, [
    step([apply(release({ ...detecting('enabled'), install: { serverSideApply: false } }))], ready),
    step([changed('drifted'), again], { ref: 'rel/app', event: 'has been corrected' }, ready),
  ]),
  story(
    'drift-hooks',
    'hooks do not drift',
    ['HR-132', 'HR-085'],
    [chart('1.0.0', { 'templates/h.yaml': configMap('h', { greeting: 'a' }, hook('pre-install')) })],
    [
      step([apply(release(detecting('enabled')))], ready),
      step([changed('drifted', 'ConfigMap/h'), again], handled, ready),
    ],
    { observe: ['ConfigMap/h'] },
  ),
  story(
    'drift-override-manager',
    'fields of a manager are taken over first',
    ['HR-089', 'HR-110'],
    one,
    [
      step([apply(release(detecting('enabled')))], ready),
      step(
        [
          {
            patch: {
              ref: 'ConfigMap/app-cm',
              fieldManager: 'tool-x',
              patch: { data: { greeting: 'drifted', other: 'x' } },
            },
          },
          again,
        ],
        { ref: 'rel/app', event: 'has been corrected' },
        ready,
      ),
    ],
    { profile: 'override-manager' },
  ),

  story('ask-force', 'forceAt upgrades what is in sync', ['HR-109'], one, [
    step([apply(release())], ready),
    step([asking('forceAt', 'now')], isVersion(2)),
    step([annotated({ 'reconcile.fluxcd.io/requestedAt': 'later' })], { ref: 'rel/app', handled: 'later' }),
  ]),
  story('ask-force-alone', 'forceAt without the same request does nothing', ['HR-109'], one, [
    step([apply(release())], ready),
    step([annotated({ 'reconcile.fluxcd.io/requestedAt': 'now', 'reconcile.fluxcd.io/forceAt': 'other' })], {
      ref: 'rel/app',
      handled: 'now',
    }),
  ]),
  story(
    'ask-reset',
    'resetAt tries again what was stalled',
    ['HR-053', 'HR-109', 'HR-071'],
    [chart('1.0.0'), bad],
    [
      step([apply(release())], ready),
      step([toVersion('1.1.0')], stalled),
      step([asking('resetAt', 'now')], { ref: 'rel/app', handled: 'now' }, stalled),
    ],
  ),
  story(
    'ask-force-install',
    'forceAt on a failed installation',
    ['HR-109'],
    [chart('1.0.0', { 'templates/bad.yaml': refused })],
    [
      step([apply(release({ install: { remediation: { remediateLastFailure: true } } }))], stalled),
      step([asking('forceAt', 'now')], { ref: 'rel/app', handled: 'now' }, failed),
    ],
  ),
  story('ask-suspend', 'suspended, changed, and resumed', ['HR-005', 'HR-108'], two, [
    step([apply(release())], ready),
    step([{ suspend: 'rel/app' }, toVersion('1.1.0'), { sleep: 2 }]),
    step([{ resume: 'rel/app' }], isVersion(2)),
  ]),

  story('storage-adopt', 'a release that helm has made is adopted by an upgrade', ['HR-118', 'HR-043', 'HR-048'], one, [
    step([helmInstall(chart('1.0.0'))]),
    step([apply(release())], isVersion(2)),
  ]),
  story('storage-adopt-values', 'a release of helm with values of its own', ['HR-118', 'HR-065'], one, [
    step([helmInstall(chart('1.0.0'), '--set', 'greeting=theirs')]),
    step([apply(release({ upgrade: { preserveValues: true }, values: { more: 1 } }))], isVersion(2)),
  ]),
  story('storage-adopt-failed', 'a release of helm that has failed', ['HR-118', 'HR-043'], one, [
    step([
      {
        helm: {
          args: ['install', 'app', 'CHART'],
          chart: chart('1.0.0', { 'templates/bad.yaml': refused }),
          mayFail: true,
        },
      },
    ]),
    step([apply(release())], isVersion(2)),
  ]),
  story('storage-adopt-csa', 'a release that helm has applied client-side', ['HR-118', 'HR-067', 'HR-068'], one, [
    step([helmInstall(chart('1.0.0'), '--server-side=false')]),
    step([apply(release())], isVersion(2)),
  ]),
  story('storage-helm-upgrade', 'helm upgrades a release of ours', ['HR-118', 'HR-043', 'HR-103'], one, [
    step([apply(release())], ready),
    step(
      [
        {
          helm: {
            args: ['upgrade', 'app', 'CHART', '--force-conflicts', '--set', 'greeting=theirs'],
            chart: chart('1.0.0'),
          },
        },
        again,
      ],
      isVersion(3),
    ),
  ]),
  story('storage-helm-rollback', 'helm rolls a release of ours back', ['HR-118', 'HR-043', 'HR-103'], two, [
    step([apply(release())], ready),
    step([toVersion('1.1.0')], isVersion(2)),
    step([{ helm: { args: ['rollback', 'app', '1', '--force-conflicts'] } }, again], isVersion(4)),
  ]),
  story('storage-helm-uninstall', 'helm uninstalls a release of ours', ['HR-118', 'HR-043'], one, [
    step([apply(release())], ready),
    step([{ helm: { args: ['uninstall', 'app'] } }, again], ready),
  ]),
  story('storage-edited', 'the stored release was changed', ['HR-043', 'HR-103'], one, [
    step([apply(release())], ready),
    step(
      [{ editRelease: { name: 'sh.helm.release.v1.app.v1', release: { info: { description: 'changed' } } } }, again],
      isVersion(2),
    ),
  ]),
  story('storage-pending-rollback', 'a release that was left in the middle of a rollback', ['HR-051', 'HR-043'], two, [
    step([apply(release())], ready),
    step([toVersion('1.1.0')], isVersion(2)),
    step(
      [
        {
          editRelease: {
            name: 'sh.helm.release.v1.app.v2',
            release: { info: { status: 'pending-rollback' } },
            labels: { status: 'pending-rollback' },
          },
        },
        again,
      ],
      isVersion(3),
    ),
  ]),
  story(
    'storage-uninstalling',
    'a release that was left in the middle of an uninstallation',
    ['HR-043', 'HR-024'],
    one,
    [
      step([apply(release())], ready),
      step(
        [
          {
            editRelease: {
              name: 'sh.helm.release.v1.app.v1',
              release: { info: { status: 'uninstalling' } },
              labels: { status: 'uninstalling' },
            },
          },
          { patch: { ref: 'rel/app', patch: { spec: { interval: '11m' } } } },
        ],
        failed,
      ),
    ],
  ),
  story('storage-history', 'what is kept of the history', ['HR-054', 'HR-102', 'HR-116'], one, [
    step([apply(release({ maxHistory: 2 }))], ready),
    ...['a', 'b', 'c'].map((greeting, at) => step([patch({ values: { greeting } })], isVersion(at + 2))),
  ]),
  story('storage-history-all', 'maxHistory 0 keeps all', ['HR-116'], one, [
    step([apply(release({ maxHistory: 0 }))], ready),
    ...['a', 'b', 'c', 'd', 'e', 'f'].map((greeting, at) => step([patch({ values: { greeting } })], isVersion(at + 2))),
  ]),

  story(
    'remote-plain',
    'another cluster, by its kubeconfig',
    ['HR-040', 'HR-041', 'HR-042', 'HR-101'],
    two,
    [
      step([apply(kubeconfig as never, release(remote))], ready),
      step([toVersion('1.1.0')], isVersion(2)),
      step([{ delete: { ref: 'rel/app' } }], { ref: 'rel/app', deleted: true }),
    ],
    { target: 'kubeconfig' },
  ),
  story(
    'remote-drift',
    'drift on another cluster',
    ['HR-040', 'HR-087'],
    one,
    [
      step([apply(kubeconfig as never, release({ ...remote, ...detecting('enabled') }))], ready),
      step(
        [{ delete: { ref: 'target!ConfigMap/app-cm' } }, again],
        { ref: 'rel/app', event: 'has been corrected' },
        ready,
      ),
    ],
    { target: 'kubeconfig' },
  ),
  story(
    'remote-wrong',
    'a kubeconfig that is none',
    ['HR-040', 'HR-024', 'HR-025'],
    one,
    [
      step(
        [apply({ ...kubeconfig, stringData: { value: 'apiVersion: v1\nkind: Config\n' } } as never, release(remote))],
        failed,
      ),
      step([apply(kubeconfig as never), again], ready),
    ],
    { target: 'kubeconfig' },
  ),
  story(
    'remote-key',
    'another key of the Secret',
    ['HR-040'],
    one,
    [
      step(
        [
          apply(
            { ...kubeconfig, stringData: { mine: '${TARGET_KUBECONFIG}' } } as never,
            release({ kubeConfig: { secretRef: { name: 'target', key: 'mine' } } }),
          ),
        ],
        ready,
      ),
    ],
    { target: 'kubeconfig' },
  ),
  story('account-plain', 'a service account with the rights it needs', ['HR-040', 'HR-041'], one, [
    step([apply(...(account('worker') as never[]), release({ serviceAccountName: 'worker' }))], ready),
    step([{ delete: { ref: 'rel/app' } }], { ref: 'rel/app', deleted: true }),
  ]),
  story('account-read-only', 'a service account that may only read', ['HR-040', 'HR-041', 'HR-052'], one, [
    step(
      [apply(...(account('reader', ['get', 'list', 'watch']) as never[]), release({ serviceAccountName: 'reader' }))],
      notInstalled,
    ),
  ]),
  story(
    'account-gone',
    'deleted after its service account',
    ['HR-081'],
    one,
    [
      step([apply(...(account('worker') as never[]), release({ serviceAccountName: 'worker' }))], ready),
      step([{ delete: { ref: 'ServiceAccount/worker' } }, { delete: { ref: 'rel/app' } }], {
        ref: 'rel/app',
        deleted: true,
      }),
    ],
    { observe: ['ConfigMap/app-cm'] },
  ),
  story(
    'client-persistent',
    'persistentClient false, and a chart that makes a kind by a hook',
    ['HR-042'],
    [chart('1.0.0', { 'templates/two.yaml': configMap('two', {}, hook('pre-install')) })],
    [step([apply(release({ persistentClient: false }))], ready)],
  ),

  story(
    'running-new-values',
    'values change after a hook has taken too long',
    ['HR-133', 'HR-049'],
    [chart('1.0.0', { 'templates/h.yaml': job('slow', { annotations: hook('pre-install'), hold: 'unready' }) })],
    [
      step([apply(release({ timeout: '4s', install: { remediation: { retries: 0 } } }))], stalled),
      step([patch({ values: { greeting: 'new' } })], isVersion(2)),
    ],
  ),
  story(
    'running-cancelled',
    'a wait is cancelled by a new spec',
    ['HR-055', 'HR-111'],
    [chart('1.0.0', { 'templates/web.yaml': deployment('web', { hold: 'unready' }) }), chart('1.1.0')],
    [
      step([apply(release({ timeout: '60s' }))], { ref: 'rel/app', during: "Running 'install' action" }),
      step([{ sleep: 3 }, toVersion('1.1.0')], ready),
    ],
    { profile: 'cancel-health-check' },
  ),
  story(
    'running-cancelled-retry',
    'a cancelled wait with RetryOnFailure',
    ['HR-055'],
    [chart('1.0.0', { 'templates/web.yaml': deployment('web', { hold: 'unready' }) }), chart('1.1.0')],
    [
      step([apply(release({ timeout: '60s', install: { strategy: { name: 'RetryOnFailure' } } }))], {
        ref: 'rel/app',
        during: "Running 'install' action",
      }),
      step([{ sleep: 3 }, toVersion('1.1.0')], ready),
    ],
    { profile: 'cancel-health-check' },
  ),
  story(
    'running-cancelled-upgrade',
    'the wait of an upgrade is cancelled',
    ['HR-055'],
    [chart('1.0.0'), chart('1.1.0', { 'templates/web.yaml': deployment('web', { hold: 'unready' }) }), chart('1.2.0')],
    [
      step([apply(release({ timeout: '60s', upgrade: { remediation: { retries: 1 } } }))], ready),
      step([toVersion('1.1.0')], { ref: 'rel/app', during: "Running 'upgrade' action" }),
      step([{ sleep: 3 }, toVersion('1.2.0')], ready),
    ],
    { profile: 'cancel-health-check' },
  ),
  story(
    'running-request',
    'a request while a wait goes on: it is cancelled, and tried again long before the retry interval is over',
    ['HR-055'],
    [chart('1.0.0', { 'templates/web.yaml': deployment('web', { hold: 'unready' }) })],
    [
      step(
        [
          apply(release({ timeout: '60s', install: { strategy: { name: 'RetryOnFailure', retryInterval: '5m' } } })),
          { sleep: 5 },
        ],
        { ref: 'rel/app', during: "Running 'install' action" },
      ),
      // After such a pass helm-controller waits in vain, for 10 s, until its cache has the times of the history to the nanosecond.
      step([again, { sleep: 20 }], { ref: 'rel/app', during: "Running 'upgrade' action" }),
    ],
    { profile: 'cancel-health-check' },
  ),
  story(
    'running-suspended',
    'suspended while the wait of an installation goes on',
    ['HR-161', 'HR-005'],
    [chart('1.0.0', { 'templates/web.yaml': deployment('web', { hold: 'unready' }) })],
    [
      step([apply(release({ timeout: '15s', install: { remediation: { retries: 0 } } })), { sleep: 5 }], {
        ref: 'rel/app',
        during: "Running 'install' action",
      }),
      step([{ suspend: 'rel/app' }], stalled),
      step([{ resume: 'rel/app' }], stalled, { ref: 'rel/app', live: 'status.observedGeneration', value: 3 }),
    ],
  ),
  story(
    'running-suspended-upgrade',
    'suspended while an upgrade waits that is rolled back',
    ['HR-161', 'HR-070'],
    [chart('1.0.0'), chart('1.1.0', { 'templates/web.yaml': deployment('web', { hold: 'unready' }) })],
    [
      step([apply(release({ timeout: '15s', upgrade: { remediation: { retries: 1 } } }))], ready),
      step([toVersion('1.1.0'), { sleep: 5 }], { ref: 'rel/app', during: "Running 'upgrade' action" }),
      step(
        [{ suspend: 'rel/app' }],
        { ref: 'rel/app', cond: ['Remediated', 'True'] },
        { ref: 'rel/app', live: 'status.observedGeneration', value: 3 },
      ),
    ],
  ),
  story(
    'running-deleted',
    'deleted while the wait of an installation goes on',
    ['HR-161', 'HR-081'],
    [chart('1.0.0', { 'templates/web.yaml': deployment('web', { hold: 'unready' }) })],
    [
      step([apply(release({ timeout: '15s' })), { sleep: 5 }], { ref: 'rel/app', during: "Running 'install' action" }),
      step([{ delete: { ref: 'rel/app' } }], { ref: 'rel/app', deleted: true }),
    ],
  ),
  story(
    'gate-retry',
    'the gate DefaultToRetryOnFailure, on an upgrade',
    ['HR-058', 'HR-111'],
    [chart('1.0.0'), bad],
    [step([apply(release())], ready), step([toVersion('1.1.0')], { ref: 'rel/app', ready: 'False', version: 2 })],
    { profile: 'retry-default' },
  ),
  story(
    'gate-retry-overridden',
    'the gate, and a spec that says otherwise',
    ['HR-058', 'HR-111'],
    [chart('1.0.0'), bad],
    [
      step([apply(release({ upgrade: { strategy: { name: 'RemediateOnFailure' } } }))], ready),
      step([toVersion('1.1.0')], stalled),
    ],
    { profile: 'retry-default' },
  ),
  story(
    'gate-helm3',
    'the gate UseHelm3Defaults, and an upgrade',
    ['HR-067', 'HR-111'],
    two,
    [step([apply(release())], ready), step([toVersion('1.1.0')], isVersion(2))],
    { profile: 'helm3-defaults' },
  ),
  story(
    'gate-account',
    'the default service account has the rights',
    ['HR-040', 'HR-110'],
    one,
    [step([apply(...(account('tenant') as never[]), release())], ready)],
    { profile: 'default-service-account' },
  ),
  story(
    'cross-ns-chart',
    'a chart template whose source is in another namespace',
    ['HR-008', 'HR-110'],
    one,
    [
      step([apply({ ...repository(), metadata: { name: 'repo', namespace: 'rel-cross-ns-chart-b' } })], {
        ref: 'hr/rel-cross-ns-chart-b/repo',
        ready: 'True',
      }),
      step(
        [
          apply(
            release({
              chart: {
                spec: {
                  chart: 'app',
                  version: '1.0.0',
                  sourceRef: { kind: 'HelmRepository', name: 'repo', namespace: 'rel-cross-ns-chart-b' },
                },
              },
            }),
          ),
        ],
        ready,
      ),
    ],
    { extraNamespaces: ['rel-cross-ns-chart-b'] },
  ),
  story(
    'legacy-jobs',
    'waitStrategy legacy, with a Job',
    ['HR-097', 'HR-098'],
    [chart('1.0.0', { 'templates/j.yaml': job('work'), 'templates/web.yaml': deployment('web') })],
    [
      step([apply(release({ waitStrategy: { name: 'legacy' } }))], ready),
      step([patch({ values: { greeting: 'hi' } })], isVersion(2)),
    ],
  ),
  story(
    'legacy-timeout',
    'waitStrategy legacy, never ready',
    ['HR-097'],
    [chart('1.0.0', { 'templates/web.yaml': deployment('web', { hold: 'unready' }) })],
    [step([apply(release({ timeout: '4s', waitStrategy: { name: 'legacy' } }))], stalled)],
  ),
  story(
    'immutable-job',
    'a Job of the chart changes',
    ['HR-066'],
    [
      chart('1.0.0', { 'templates/j.yaml': job('work') }),
      chart('1.1.0', { 'templates/j.yaml': job('work').replace('nginx:1', 'nginx:2') }),
    ],
    [step([apply(release())], ready), step([toVersion('1.1.0')], stalled)],
  ),
  story(
    'chart-name-reinstall',
    'another chart name: reinstalled',
    ['HR-037', 'HR-038', 'HR-010'],
    [
      chart('1.0.0'),
      chart('1.0.0', {
        'Chart.yaml': 'apiVersion: v2\nname: other\nversion: 1.0.0\n',
        'templates/cm.yaml': configMap('of-other'),
      }),
    ],
    [
      step([apply(release())], ready),
      step([patch({ chart: chartFrom('1.0.0', { chart: 'other' }) })], {
        ref: 'rel/app',
        ready: 'True',
        live: 'status.observedGeneration',
        value: 2,
      }),
    ],
    { observe: ['ConfigMap/app-cm'] },
  ),
]
