import type { Scenario } from '../../conformance/flux/scenario.ts'
import {
  apply,
  chart,
  configMap,
  type Fields,
  failed,
  hook,
  patch,
  ready,
  refused,
  release,
  stalled,
  step,
  story,
  type Texts,
  toVersion,
} from './story.ts'

const isVersion = (version: number) => ({ ref: 'rel/app', ready: 'True', version })
const seen = (generation: number) => ({
  ...ready,
  live: 'status.observedGeneration',
  value: generation,
})
const object = (apiVersion: string, kind: string, name: string, more: Fields = {}): string =>
  JSON.stringify({ apiVersion, kind, metadata: { name }, ...more })

/** A chart with a subchart `sub`, and what Chart.yaml says of it. */
const withSub = (version: string, dependency: string, files: Texts = {}): Texts =>
  chart(version, {
    'Chart.yaml': `apiVersion: v2\nname: app\nversion: ${version}\ndependencies:\n- name: sub\n  version: 0.1.0\n  repository: ""\n${dependency}`,
    'charts/sub/Chart.yaml': 'apiVersion: v2\nname: sub\nversion: 0.1.0\n',
    'charts/sub/values.yaml': 'size: 1\nexports: {data: {shared: yes}}\n',
    'charts/sub/templates/cm.yaml': configMap('{{ .Release.Name }}-{{ .Chart.Name }}', { size: '{{ .Values.size }}' }),
    ...files,
  })

const told = '{{ .Release.Revision }} {{ .Release.IsInstall }} {{ .Release.IsUpgrade }} {{ .Release.Service }}'
const telling = (version: string, files: Texts = {}) =>
  chart(version, { 'templates/told.yaml': configMap('told', { told }), ...files })

const crd = (kind: string): string =>
  JSON.stringify({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${kind.toLowerCase()}s.stories.example.com` },
    spec: {
      group: 'stories.example.com',
      names: { kind, plural: `${kind.toLowerCase()}s` },
      scope: 'Namespaced',
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        },
      ],
    },
  })

/** What charts are made of, and how their objects change from version to version. */
export const chartStories: readonly Scenario[] = [
  story(
    'chart-tags',
    'a subchart that a tag switches off, and on again',
    ['HR-145', 'HR-044'],
    [withSub('1.0.0', '  tags: [extra]\n')],
    [
      step([apply(release({ values: { tags: { extra: false } } }))], ready),
      step([patch({ values: { tags: { extra: true } } })], isVersion(2)),
    ],
    { observe: ['ConfigMap/app-sub'] },
  ),
  story(
    'chart-alias',
    'a subchart by another name, with values that the chart imports',
    ['HR-145', 'HR-146'],
    [
      withSub('1.0.0', '  alias: other\n  import-values: [data]\n', {
        'templates/cm.yaml': configMap('{{ .Release.Name }}-cm', { shared: '{{ .Values.shared }}' }),
      }),
    ],
    [step([apply(release({ values: { other: { size: 7 } } }))], ready)],
  ),
  story(
    'chart-sub-crds',
    'CRDs of a subchart, and an object of their kind',
    ['HR-094', 'HR-095', 'HR-096'],
    [
      withSub('1.0.0', '', {
        'charts/sub/crds/crd.yaml': crd('Tale'),
        'templates/tale.yaml': object('stories.example.com/v1', 'Tale', 'one', { spec: { a: 1 } }),
      }),
    ],
    [step([apply(release())], ready), step([{ delete: { ref: 'rel/app' } }], { ref: 'rel/app', deleted: true })],
    { observe: ['CustomResourceDefinition/tales.stories.example.com'] },
  ),
  story(
    'chart-sub-hooks',
    'hooks of a subchart and of the chart, by their weights',
    ['HR-128'],
    [
      withSub('1.0.0', '', {
        'templates/b.yaml': configMap('b', {}, hook('pre-install', { weight: '2' })),
        'charts/sub/templates/a.yaml': configMap('a', {}, hook('pre-install', { weight: '1' })),
        'charts/sub/templates/c.yaml': configMap('c', {}, hook('post-install,post-upgrade')),
      }),
    ],
    [step([apply(release())], ready), step([patch({ values: { greeting: 'hi' } })], isVersion(2))],
    { observe: ['ConfigMap/a', 'ConfigMap/b', 'ConfigMap/c'] },
  ),
  story(
    'chart-null-subchart',
    'null in the values takes away a default of a subchart',
    ['HR-144'],
    [
      withSub('1.0.0', '', {
        'charts/sub/templates/cm.yaml': configMap('{{ .Release.Name }}-sub', {
          has: '{{ hasKey .Values (print `size`) }}',
        }),
      }),
    ],
    [step([apply(release({ values: { sub: { size: null } } }))], ready)],
  ),
  story(
    'chart-values-documents',
    "several documents in the chart's values, one of them behind a comment",
    ['HR-144'],
    [chart('1.0.0', { 'values.yaml': 'greeting: one\n--- # the next\ngreeting: two\n---\n' })],
    [step([apply(release())], ready)],
  ),
  story(
    'chart-release-object',
    'what templates are told of the release: installed, upgraded, rolled back',
    ['HR-136', 'HR-121'],
    [telling('1.0.0'), telling('1.1.0'), telling('1.2.0', { 'templates/z.yaml': refused })],
    [
      step([apply(release({ upgrade: { remediation: { retries: 0, remediateLastFailure: true } } }))], ready),
      step([toVersion('1.1.0')], isVersion(2)),
      step([toVersion('1.2.0')], stalled),
    ],
  ),
  story(
    'chart-lookup-kept',
    'a value that the chart finds on the cluster stays in an upgrade',
    ['HR-139'],
    ['1.0.0', '1.1.0'].map(version =>
      chart(version, {
        'templates/kept.yaml':
          '{{- $old := lookup "v1" "ConfigMap" .Release.Namespace "kept" }}\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: kept}\ndata:\n  first: {{ if $old }}{{ $old.data.first }}{{ else }}{{ .Chart.Version | quote }}{{ end }}\n',
      }),
    ),
    [step([apply(release())], ready), step([toVersion('1.1.0')], isVersion(2))],
  ),
  story(
    'chart-becomes-library',
    'an upgrade to a library chart',
    ['HR-143'],
    [chart('1.0.0'), chart('1.1.0', { 'Chart.yaml': 'apiVersion: v2\nname: app\nversion: 1.1.0\ntype: library\n' })],
    [step([apply(release())], ready), step([toVersion('1.1.0')], isVersion(2))],
  ),
  story(
    'chart-empties',
    'an upgrade to a chart without objects, and back',
    ['HR-122', 'HR-104'],
    [chart('1.0.0'), chart('1.1.0', { 'templates/cm.yaml': '# nothing\n' })],
    [
      step([apply(release())], ready),
      step([toVersion('1.1.0')], isVersion(2)),
      step([toVersion('1.0.0')], isVersion(3)),
    ],
  ),

  story(
    'object-other-kind',
    'an object leaves, and one of another kind has its name',
    ['HR-122', 'HR-120'],
    [
      chart('1.0.0', { 'templates/thing.yaml': configMap('thing') }),
      chart('1.1.0', { 'templates/thing.yaml': object('v1', 'Secret', 'thing', { stringData: { a: 'b' } }) }),
    ],
    [step([apply(release())], ready), step([toVersion('1.1.0')], isVersion(2))],
    { observe: ['ConfigMap/thing', 'Secret/thing'] },
  ),
  story(
    'object-other-version',
    'an object in another version of its API is the same object',
    ['HR-122', 'HR-120'],
    ['v1', 'v2'].map((version, at) =>
      chart(`1.${at}.0`, {
        'templates/scaler.yaml': object(`autoscaling/${version}`, 'HorizontalPodAutoscaler', 'scaler', {
          spec: { maxReplicas: 2 + at, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } },
        }),
      }),
    ),
    [
      step([apply(release({ install: { disableWait: true }, upgrade: { disableWait: true } }))], ready),
      step([toVersion('1.1.0')], isVersion(2)),
    ],
  ),
  story(
    'object-other-namespace',
    'an object moves to another namespace',
    ['HR-122', 'HR-120'],
    ['rel-object-other-namespace', 'rel-object-other-namespace-b'].map((namespace, at) =>
      chart(`1.${at}.0`, {
        'templates/mover.yaml': JSON.stringify({
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: 'mover', namespace },
        }),
      }),
    ),
    [step([apply(release())], ready), step([toVersion('1.1.0')], isVersion(2))],
    {
      extraNamespaces: ['rel-object-other-namespace-b'],
      observe: ['ConfigMap/mover', 'ConfigMap/rel-object-other-namespace-b/mover'],
    },
  ),
  story(
    'object-kept-returns',
    'resource-policy keep: an object leaves the chart, stays, and comes back',
    ['HR-122', 'HR-061'],
    [
      chart('1.0.0', { 'templates/k.yaml': configMap('k', { a: '1' }, { 'helm.sh/resource-policy': 'keep' }) }),
      chart('1.1.0'),
      chart('1.2.0', { 'templates/k.yaml': configMap('k', { a: '2' }) }),
    ],
    [
      step([apply(release())], ready),
      step([toVersion('1.1.0')], isVersion(2)),
      step([toVersion('1.2.0')], isVersion(3)),
      step([{ delete: { ref: 'rel/app' } }], { ref: 'rel/app', deleted: true }),
    ],
    { observe: ['ConfigMap/k'] },
  ),
  story(
    'object-becomes-hook',
    'an object of a chart is a hook in the next version',
    ['HR-122', 'HR-132'],
    [
      chart('1.0.0', { 'templates/h.yaml': configMap('h', { a: '1' }) }),
      chart('1.1.0', { 'templates/h.yaml': configMap('h', { a: '2' }, hook('post-upgrade')) }),
    ],
    [step([apply(release())], ready), step([toVersion('1.1.0')], isVersion(2))],
    { observe: ['ConfigMap/h'] },
  ),
  story(
    'object-hook-becomes',
    'a hook is an object of the chart in the next version',
    ['HR-122', 'HR-132', 'HR-061'],
    [
      chart('1.0.0', { 'templates/h.yaml': configMap('h', { a: '1' }, hook('pre-install')) }),
      chart('1.1.0', { 'templates/h.yaml': configMap('h', { a: '2' }) }),
    ],
    [step([apply(release())], ready), step([toVersion('1.1.0')], isVersion(2))],
    { observe: ['ConfigMap/h'] },
  ),
  story(
    'object-deleted-then-gone',
    'an object that somebody deleted leaves the chart',
    ['HR-122'],
    [chart('1.0.0', { 'templates/k.yaml': configMap('k') }), chart('1.1.0')],
    [step([apply(release())], ready), step([{ delete: { ref: 'ConfigMap/k' } }, toVersion('1.1.0')], isVersion(2))],
    { observe: ['ConfigMap/k'] },
  ),
  story(
    'object-finalizer',
    'an object with a finalizer leaves the chart',
    ['HR-122'],
    [
      chart('1.0.0', {
        'templates/k.yaml': JSON.stringify({
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: 'k', finalizers: ['stories.example.com/hold'] },
        }),
      }),
      chart('1.1.0'),
    ],
    [step([apply(release())], ready), step([toVersion('1.1.0')], isVersion(2))],
    { observe: ['ConfigMap/k'] },
  ),

  story(
    'spec-history-shorter',
    'maxHistory becomes less',
    ['HR-116', 'HR-054'],
    [chart('1.0.0')],
    [
      step([apply(release())], ready),
      ...['a', 'b', 'c'].map((greeting, at) => step([patch({ values: { greeting } })], isVersion(at + 2))),
      step([patch({ maxHistory: 1, values: { greeting: 'd' } })], isVersion(5)),
    ],
  ),
  story(
    'spec-drift-switched-off',
    'drift detection is switched off while there is drift',
    ['HR-084', 'HR-086'],
    [chart('1.0.0')],
    [
      step([apply(release({ driftDetection: { mode: 'warn' } }))], ready),
      step(
        [{ patch: { ref: 'ConfigMap/app-cm', patch: { data: { greeting: 'drifted' } } } }, { reconcile: ['rel/app'] }],
        { ref: 'rel/app', handled: true },
        { ref: 'rel/app', cond: ['Drifted', 'True'] },
      ),
      step([patch({ driftDetection: { mode: 'disabled' } })], seen(2)),
    ],
  ),
  story(
    'spec-stalled-deleted',
    'a stalled release is deleted',
    ['HR-081', 'HR-071'],
    [chart('1.0.0'), chart('1.1.0', { 'templates/bad.yaml': refused })],
    [
      step([apply(release())], ready),
      step([toVersion('1.1.0')], stalled),
      step([{ delete: { ref: 'rel/app' } }], { ref: 'rel/app', deleted: true }),
    ],
  ),
  story(
    'spec-failed-other-values',
    'a release whose chart fails is tried again with other values, and fails again',
    ['HR-053', 'HR-071'],
    [chart('1.0.0', { 'templates/cm.yaml': '{{ if .Values.bad }}{{ fail "no" }}{{ end }}' })],
    [
      step([apply(release({ values: { bad: true } }))], failed),
      step([patch({ values: { bad: false } })], ready),
      step([patch({ values: { bad: true } })], failed),
    ],
  ),
  story(
    'spec-post-renderers-order',
    'post-renderers one after the other: patches, images, and another that is added',
    ['HR-090', 'HR-045'],
    [
      chart('1.0.0', {
        'templates/pod.yaml': object('v1', 'PodTemplate', 'pod', {
          template: {
            metadata: { labels: { a: 'b' } },
            spec: { containers: [{ name: 'c', image: 'nginx:1' }] },
          },
        }),
      }),
    ],
    [
      step(
        [
          apply(
            release({
              postRenderers: [
                {
                  kustomize: {
                    patches: [
                      {
                        target: { kind: 'ConfigMap' },
                        patch: '- op: add\n  path: /data/first\n  value: "1"\n',
                      },
                    ],
                    images: [{ name: 'nginx', newTag: '2' }],
                  },
                },
              ],
            }),
          ),
        ],
        ready,
      ),
      step(
        [
          patch({
            postRenderers: [
              {
                kustomize: {
                  patches: [
                    {
                      target: { kind: 'ConfigMap' },
                      patch: '- op: add\n  path: /data/first\n  value: "1"\n',
                    },
                  ],
                },
              },
              {
                kustomize: {
                  patches: [
                    {
                      target: { kind: 'ConfigMap' },
                      patch: '- op: replace\n  path: /data/first\n  value: "2"\n',
                    },
                  ],
                },
              },
            ],
          }),
        ],
        isVersion(2),
      ),
    ],
    { observe: ['v1:PodTemplate/pod'] },
  ),
]
