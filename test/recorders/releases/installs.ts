import type { Scenario } from '../../conformance/flux/scenario.ts'
import {
  apply,
  chart,
  chartFrom,
  configMap,
  deployment,
  failed,
  hook,
  job,
  patch,
  ready,
  refused,
  release,
  stalled,
  step,
  story,
  toVersion,
} from './story.ts'

const bad = chart('1.0.0', { 'templates/bad.yaml': refused })
const never = chart('1.0.0', { 'templates/web.yaml': deployment('web', { hold: 'unready' }) })
const existing = {
  ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'app-cm' } },
  data: { greeting: 'before', other: 'x' },
}

export const installStories: readonly Scenario[] = [
  story(
    'install-plain',
    'a plain release',
    ['HR-002', 'HR-017', 'HR-050', 'HR-101', 'HR-104', 'HR-117'],
    [chart('1.0.0')],
    [
      step([apply(release())], ready),
      step([{ reconcile: ['rel/app'] }], { ref: 'rel/app', ready: 'True', handled: true }),
    ],
  ),
  story(
    'install-named',
    'releaseName and targetNamespace',
    ['HR-035', 'HR-036', 'HR-056'],
    [chart('1.0.0')],
    [
      step([apply(release({ releaseName: 'other', targetNamespace: 'rel-install-named-b' }))], ready),
      step([{ delete: { ref: 'rel/app' } }], { ref: 'rel/app', deleted: true }),
    ],
    { extraNamespaces: ['rel-install-named-b'] },
  ),
  story(
    'install-storage-ns',
    'storageNamespace',
    ['HR-036', 'HR-112'],
    [chart('1.0.0')],
    [
      step([apply(release({ storageNamespace: 'rel-install-storage-ns-b' }))], ready),
      step([{ delete: { ref: 'rel/app' } }], { ref: 'rel/app', deleted: true }),
    ],
    { extraNamespaces: ['rel-install-storage-ns-b'] },
  ),
  story(
    'install-create-ns',
    'createNamespace',
    ['HR-039', 'HR-056'],
    [chart('1.0.0')],
    [
      step(
        [apply(release({ targetNamespace: 'rel-install-create-ns-new', install: { createNamespace: true } }))],
        ready,
      ),
      step([{ delete: { ref: 'rel/app' } }], { ref: 'rel/app', deleted: true }),
    ],
    { observe: ['Namespace/rel-install-create-ns-new'] },
  ),
  story(
    'install-no-ns',
    'the target namespace is not there',
    ['HR-039', 'HR-052'],
    [chart('1.0.0')],
    [step([apply(release({ targetNamespace: 'rel-install-no-ns-new' }))], failed)],
  ),
  story(
    'install-no-wait',
    'disableWait',
    ['HR-056', 'HR-098'],
    [never],
    [step([apply(release({ install: { disableWait: true } }))], ready)],
  ),
  story(
    'install-no-hooks',
    'disableHooks',
    ['HR-056'],
    [chart('1.0.0', { 'templates/hook.yaml': job('pre', { annotations: hook('pre-install') }) })],
    [step([apply(release({ install: { disableHooks: true } }))], ready)],
    { observe: ['batch/v1:Job/pre'] },
  ),
  story(
    'install-no-ownership',
    'disableTakeOwnership, and an object of somebody else',
    ['HR-056', 'HR-061'],
    [chart('1.0.0')],
    [
      step([apply(existing), apply(release({ install: { disableTakeOwnership: true } }))], failed),
      step([patch({ install: { disableTakeOwnership: false } })], ready),
    ],
    { observe: ['ConfigMap/app-cm'] },
  ),
  story(
    'install-client-side',
    'an installation without server-side apply',
    ['HR-067', 'HR-056'],
    [chart('1.0.0')],
    [step([apply(release({ install: { serverSideApply: false } }))], ready)],
  ),
  story(
    'install-client-side-existing',
    'an object of somebody else is taken over client-side',
    ['HR-061', 'HR-067'],
    [chart('1.0.0')],
    [step([apply(existing), apply(release({ install: { serverSideApply: false } }))], ready)],
  ),
  story(
    'install-timeout-own',
    'the timeout of the installation goes before that of the spec',
    ['HR-056', 'HR-050'],
    [never],
    [step([apply(release({ timeout: '10m', install: { timeout: '4s' } }))], stalled)],
  ),
  story(
    'install-remediate-last',
    'the last failed installation is uninstalled as well',
    ['HR-057', 'HR-072', 'HR-083'],
    [bad],
    [step([apply(release({ install: { remediation: { retries: 1, remediateLastFailure: true } } }))], stalled)],
  ),
  story(
    'install-remediate-none',
    'the last failed installation stays',
    ['HR-057', 'HR-071'],
    [bad],
    [step([apply(release({ install: { remediation: { retries: 1 } } }))], stalled)],
  ),
  story(
    'install-retry',
    'RetryOnFailure: a failed installation stays, and is upgraded',
    ['HR-058', 'HR-059', 'HR-049'],
    [bad, chart('1.1.0')],
    [
      step(
        [
          apply(
            release({
              install: { strategy: { name: 'RetryOnFailure', retryInterval: '5m' } },
              upgrade: { strategy: { name: 'RetryOnFailure', retryInterval: '5m' } },
            }),
          ),
        ],
        { ref: 'rel/app', ready: 'False', version: 1, cond: ['Reconciling', 'True'] },
      ),
      step([toVersion('1.1.0')], ready),
    ],
  ),
  story(
    'install-fixed',
    'a failed installation, fixed by another chart',
    ['HR-053', 'HR-060'],
    [bad, chart('1.1.0')],
    [step([apply(release())], stalled), step([toVersion('1.1.0')], ready)],
  ),
  story(
    'install-job-fails',
    'a Job of the chart fails',
    ['HR-099', 'HR-098'],
    [chart('1.0.0', { 'templates/job.yaml': job('work', { hold: 'failed' }) })],
    [step([apply(release())], stalled)],
  ),
  story(
    'install-paused',
    'a paused Deployment is not waited for',
    ['HR-099'],
    [chart('1.0.0', { 'templates/web.yaml': deployment('web', { spec: { paused: true } }) })],
    [step([apply(release({ timeout: '20s' }))], ready)],
  ),
  story(
    'install-job-ttl',
    'a Job that removes itself counts as done',
    ['HR-099'],
    [chart('1.0.0', { 'templates/job.yaml': job('work', { spec: { ttlSecondsAfterFinished: 0 } }) })],
    [step([apply(release({ timeout: '30s' }))], ready)],
    { observe: [] },
  ),
  story(
    'install-many',
    'several kinds are made in their order',
    ['HR-151', 'HR-104', 'HR-120'],
    [
      chart('1.0.0', {
        'templates/all.yaml': [
          configMap('z'),
          JSON.stringify({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'sa' } }),
          JSON.stringify({
            apiVersion: 'v1',
            kind: 'Service',
            metadata: { name: 'svc' },
            spec: { ports: [{ port: 80 }], clusterIP: 'None' },
          }),
          JSON.stringify({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'sec' }, stringData: { a: 'b' } }),
          JSON.stringify({
            apiVersion: 'rbac.authorization.k8s.io/v1',
            kind: 'Role',
            metadata: { name: 'role' },
            rules: [],
          }),
        ].join('\n---\n'),
      }),
    ],
    [step([apply(release())], ready), step([{ delete: { ref: 'rel/app' } }], { ref: 'rel/app', deleted: true })],
  ),
  story(
    'install-list',
    'a List in a chart',
    ['HR-104'],
    [
      chart('1.0.0', {
        'templates/list.yaml': JSON.stringify({
          apiVersion: 'v1',
          kind: 'List',
          items: [JSON.parse(configMap('one')), JSON.parse(configMap('two'))],
        }),
      }),
    ],
    [step([apply(release())], ready)],
  ),
  story(
    'install-empty',
    'a chart without objects',
    ['HR-104', 'HR-120'],
    [chart('1.0.0', { 'templates/cm.yaml': undefined })],
    [step([apply(release())], ready), step([{ delete: { ref: 'rel/app' } }], { ref: 'rel/app', deleted: true })],
  ),
  story(
    'install-library',
    'a library chart is released without objects',
    ['HR-143'],
    [chart('1.0.0', { 'Chart.yaml': 'apiVersion: v2\nname: app\nversion: 1.0.0\ntype: library\n' })],
    [step([apply(release())], ready)],
  ),
  story(
    'install-kube-version',
    'a chart for another version of Kubernetes',
    ['HR-148'],
    [chart('1.0.0', { 'Chart.yaml': 'apiVersion: v2\nname: app\nversion: 1.0.0\nkubeVersion: ">=2.0.0"\n' })],
    [step([apply(release())], failed)],
  ),
  story(
    'install-deprecated',
    'a deprecated chart is installed',
    ['HR-120'],
    [chart('1.0.0', { 'Chart.yaml': 'apiVersion: v2\nname: app\nversion: 1.0.0\ndeprecated: true\n' })],
    [step([apply(release())], ready)],
  ),
  story(
    'install-skip-crds',
    'skipCRDs',
    ['HR-056', 'HR-094'],
    [chart('1.0.0', { 'crds/w.yaml': crd('installskip') })],
    [step([apply(release({ install: { skipCRDs: true } }))], ready)],
    { observe: ['apiextensions.k8s.io/v1:CustomResourceDefinition/installskips.stories.example.com'] },
  ),
  story(
    'install-crds-create',
    'CRDs are made, with their objects in the chart',
    ['HR-094', 'HR-095', 'HR-104'],
    [
      chart('1.0.0', {
        'crds/w.yaml': crd('installcrd'),
        'templates/one.yaml': JSON.stringify({
          apiVersion: 'stories.example.com/v1',
          kind: 'Installcrd',
          metadata: { name: 'one' },
          spec: { size: 1 },
        }),
      }),
    ],
    [step([apply(release())], ready), step([{ delete: { ref: 'rel/app' } }], { ref: 'rel/app', deleted: true })],
    { observe: ['apiextensions.k8s.io/v1:CustomResourceDefinition/installcrds.stories.example.com'] },
  ),
  story(
    'install-crds-bad',
    'a CRD that the API server refuses',
    ['HR-094', 'HR-052'],
    [chart('1.0.0', { 'crds/w.yaml': crd('installbad').replace('"scope":"Namespaced"', '"scope":"Nowhere"') })],
    [step([apply(release())], failed)],
  ),
  story(
    'install-interval',
    'the same again after the interval',
    ['HR-005', 'HR-049'],
    [chart('1.0.0')],
    [step([apply(release({ interval: '1m' }))], ready)],
  ),
  story(
    'install-chart-name',
    'another chart name in place',
    ['HR-038', 'HR-037'],
    [chart('1.0.0'), chart('1.0.0', { 'Chart.yaml': 'apiVersion: v2\nname: other\nversion: 1.0.0\n' })],
    [
      step([apply(release({ upgrade: { chartNameChangeStrategy: 'InPlaceUpdate' } }))], ready),
      step([patch({ chart: chartFrom('1.0.0', { chart: 'other' }) })], { ref: 'rel/app', ready: 'True', version: 2 }),
    ],
  ),
]

/** A definition in the chart's `crds/`; its plural is the kind with an `s`. */
export function crd(name: string, properties: Record<string, unknown> = { size: { type: 'integer' } }): string {
  const kind = name[0]!.toUpperCase() + name.slice(1)
  return JSON.stringify({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${name}s.stories.example.com` },
    spec: {
      group: 'stories.example.com',
      names: { kind, plural: `${name}s`, singular: name, listKind: `${kind}List` },
      scope: 'Namespaced',
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties } } } },
        },
      ],
    },
  })
}
