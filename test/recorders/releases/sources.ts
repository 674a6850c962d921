import type { Scenario } from '../../conformance/flux/scenario.ts'
import {
  apply,
  chart,
  chartFrom,
  configMap,
  type Fields,
  failed,
  patch,
  ready,
  release,
  stalled,
  step,
  story,
  type Texts,
  toVersion,
} from './story.ts'

const isVersion = (version: number) => ({ ref: 'rel/app', ready: 'True', version })
const charts = [chart('1.0.0')]

const ociRepository = (tag: string, name = 'oci') => ({
  apiVersion: 'source.toolkit.fluxcd.io/v1',
  kind: 'OCIRepository',
  metadata: { name },
  spec: {
    ...{ interval: '10m', url: '${OCI_URL}/app', insecure: true, ref: { tag } },
    layerSelector: { mediaType: 'application/vnd.cncf.helm.chart.content.v1.tar+gzip', operation: 'copy' },
  },
})

const pushed = (tag: string, files: Texts, more: Fields = {}) => ({
  tag,
  artifact: {
    config: { mediaType: 'application/vnd.cncf.helm.config.v1+json', content: '{"name":"app","version":"1.0.0"}' },
    layers: [{ mediaType: 'application/vnd.cncf.helm.chart.content.v1.tar+gzip', chart: files }],
  },
  ...more,
})

const fromOci = release({ chartRef: { kind: 'OCIRepository', name: 'oci' } })

const externalArtifact = (name = 'ext') => ({
  apiVersion: 'source.toolkit.fluxcd.io/v1',
  kind: 'ExternalArtifact',
  metadata: { name },
  spec: { sourceRef: { apiVersion: 'v1', kind: 'ConfigMap', name: 'x' } },
})

/** A release fails whose ExternalArtifact is a copy of a chart's artifact but for these fields. */
const damaged = (artifact: Fields) => [
  step([apply(helmChart())], { ref: 'hc/own', ready: 'True' }),
  step(
    [
      apply(externalArtifact()),
      { copyArtifact: { from: 'hc/own', to: 'ea/ext' } },
      { patch: { ref: 'ea/ext', subresource: 'status', patch: { status: { artifact } } } },
      apply(release({ chartRef: { kind: 'ExternalArtifact', name: 'ext' } })),
    ],
    failed,
  ),
]

const helmChart = (more: Fields = {}) => ({
  apiVersion: 'source.toolkit.fluxcd.io/v1',
  kind: 'HelmChart',
  metadata: { name: 'own' },
  spec: {
    chart: 'app',
    version: '1.0.0',
    interval: '10m',
    sourceRef: { kind: 'HelmRepository', name: 'repo' },
    ...more,
  },
})

const depending = (more: Fields) => release({ dependsOn: [{ name: 'first', ...more }] })

export const sourceStories: readonly Scenario[] = [
  story('source-helmchart', 'chartRef to a HelmChart', ['HR-012', 'HR-007'], charts, [
    step([apply(helmChart())], { ref: 'hc/own', ready: 'True' }),
    step([apply(release({ chartRef: { kind: 'HelmChart', name: 'own' } }))], ready),
  ]),
  story(
    'source-helmchart-ns',
    'chartRef to a HelmChart of another namespace',
    ['HR-012'],
    charts,
    [
      step(
        [
          apply(
            { ...helmChart(), metadata: { name: 'own', namespace: 'rel-source-helmchart-ns-b' } } as never,
            {
              apiVersion: 'source.toolkit.fluxcd.io/v1',
              kind: 'HelmRepository',
              metadata: { name: 'repo', namespace: 'rel-source-helmchart-ns-b' },
              spec: { interval: '10m', url: '${HELM_URL}/repo' },
            } as never,
          ),
        ],
        { ref: 'hc/rel-source-helmchart-ns-b/own', ready: 'True' },
      ),
      step(
        [apply(release({ chartRef: { kind: 'HelmChart', name: 'own', namespace: 'rel-source-helmchart-ns-b' } }))],
        ready,
      ),
    ],
    { extraNamespaces: ['rel-source-helmchart-ns-b'] },
  ),
  story(
    'source-external',
    'chartRef to an ExternalArtifact',
    ['HR-012', 'HR-111'],
    charts,
    [
      step([apply(helmChart())], { ref: 'hc/own', ready: 'True' }),
      step(
        [
          apply(externalArtifact()),
          { copyArtifact: { from: 'hc/own', to: 'ea/ext' } },
          apply(release({ chartRef: { kind: 'ExternalArtifact', name: 'ext' } })),
        ],
        ready,
      ),
    ],
    { profile: 'external-artifact' },
  ),
  story('source-external-off', 'chartRef to an ExternalArtifact without the gate', ['HR-012', 'HR-111'], charts, [
    step([apply(externalArtifact(), release({ chartRef: { kind: 'ExternalArtifact', name: 'ext' } }))], failed),
  ]),
  story(
    'source-oci-mismatch',
    'the tag is another version than the chart',
    ['HR-014', 'HR-024'],
    charts,
    [step([apply(ociRepository('1.2.3'))], { ref: 'oci/oci', ready: 'True' }), step([apply(fromOci)], failed)],
    { oci: { app: [pushed('1.2.3', chart('1.0.0'))] } },
  ),
  story(
    'source-oci-latest',
    'a tag that is no version',
    ['HR-014', 'HR-013'],
    charts,
    [step([apply(ociRepository('latest'))], { ref: 'oci/oci', ready: 'True' }), step([apply(fromOci)], ready)],
    { oci: { app: [pushed('latest', chart('1.0.0'))] } },
  ),
  story(
    'source-oci-moves',
    'the digest is not tracked',
    ['HR-015', 'HR-111'],
    charts,
    [
      step([apply(ociRepository('1.0.0'))], { ref: 'oci/oci', ready: 'True' }),
      step([apply(fromOci)], ready),
      step([{ pushOCI: { repo: 'app', name: 'b' } }, { reconcile: ['oci/oci'] }], {
        ref: 'oci/oci',
        ready: 'True',
        handled: true,
      }),
    ],
    {
      profile: 'no-digest-tracking',
      oci: {
        app: [
          pushed('1.0.0', chart('1.0.0')),
          pushed('1.0.0', chart('1.0.0', { 'values.yaml': 'greeting: moved\n' }), { name: 'OCI_B', later: 'b' }),
        ],
      },
    },
  ),
  story(
    'source-oci-build',
    'a chart with build metadata of its own',
    ['HR-013'],
    charts,
    [step([apply(ociRepository('1.0.0'))], { ref: 'oci/oci', ready: 'True' }), step([apply(fromOci)], ready)],
    { oci: { app: [pushed('1.0.0', chart('1.0.0+build.5'))] } },
  ),
  story(
    'source-to-oci',
    'from chart to chartRef: the HelmChart goes',
    ['HR-010', 'HR-011'],
    charts,
    [
      step([apply(ociRepository('1.0.0'), release())], { ref: 'oci/oci', ready: 'True' }, ready),
      step(
        [
          {
            patch: {
              ref: 'rel/app',
              patch: { spec: { chart: null, chartRef: { kind: 'OCIRepository', name: 'oci' } } },
            },
          },
        ],
        isVersion(2),
      ),
    ],
    { oci: { app: [pushed('1.0.0', chart('1.0.0'))] } },
  ),
  story('source-events', 'the HelmChart is made, changed, and deleted', ['HR-011', 'HR-010', 'HR-009'], charts, [
    step([apply(release())], ready),
    step([patch({ chart: { spec: { interval: '7m' } } })], {
      ref: 'rel/app',
      ready: 'True',
      live: 'status.observedGeneration',
      value: 2,
    }),
    step([{ delete: { ref: 'rel/app' } }], { ref: 'rel/app', deleted: true }),
  ]),
  story('source-chart-missing', 'the chart is not in the repository', ['HR-022'], charts, [
    step([apply(release({ chart: chartFrom('9.9.9') }))], failed),
    step([toVersion('1.0.0')], ready),
  ]),
  story(
    'source-artifact-missing',
    'the artifact is not there any more',
    ['HR-023'],
    charts,
    [
      ...damaged({ url: '${STORAGE_URL}/helmchart/none/gone.tgz' }),
      step([{ copyArtifact: { from: 'hc/own', to: 'ea/ext' } }, { reconcile: ['rel/app'] }], ready),
    ],
    { profile: 'external-artifact' },
  ),
  story(
    'source-digest-wrong',
    'the artifact has another digest',
    ['HR-023'],
    charts,
    [...damaged({ digest: `sha256:${'0'.repeat(64)}` })],
    { profile: 'external-artifact' },
  ),

  story('depends-plain', 'a dependency that is not ready, then is', ['HR-018', 'HR-025', 'HR-110'], charts, [
    step([apply(release({ suspend: true }, 'first')), apply(depending({}))], failed),
    step([{ resume: 'rel/first' }], { ref: 'rel/first', ready: 'True' }, ready),
  ]),
  story('depends-missing', 'a dependency that is not there', ['HR-018'], charts, [
    step([apply(depending({}))], failed),
  ]),
  story(
    'depends-namespace',
    'a dependency of another namespace',
    ['HR-018'],
    charts,
    [
      step(
        [
          apply({
            ...release({ suspend: true, chart: undefined, chartRef: { kind: 'OCIRepository', name: 'x' } }, 'first'),
            metadata: { name: 'first', namespace: 'rel-depends-namespace-b' },
          } as never),
          apply(depending({ namespace: 'rel-depends-namespace-b' })),
        ],
        failed,
      ),
    ],
    { extraNamespaces: ['rel-depends-namespace-b'] },
  ),
  story('depends-expr-error', 'an expression that fails on the dependency', ['HR-019'], charts, [
    step(
      [apply(release({ suspend: true }, 'first')), apply(depending({ readyExpr: 'dep.status.nothing == 1' }))],
      failed,
    ),
  ]),
  story(
    'depends-additive',
    'the built-in test beside an expression',
    ['HR-019', 'HR-111'],
    charts,
    [
      step([apply(release({ suspend: true }, 'first')), apply(depending({ readyExpr: 'true' }))], failed),
      step([{ resume: 'rel/first' }], { ref: 'rel/first', ready: 'True' }, ready),
    ],
    { profile: 'additive-cel' },
  ),
  story('health-broken', 'a broken health check expression', ['HR-020'], charts, [
    step(
      [apply(release({ healthCheckExprs: [{ apiVersion: 'v1', kind: 'ConfigMap', current: 'data.a ==' }] }))],
      failed,
    ),
    step([patch({ healthCheckExprs: [{ apiVersion: 'v1', kind: 'ConfigMap', current: 'true' }] })], ready),
  ]),
  story(
    'health-expressions',
    'objects are ready by expressions',
    ['HR-100'],
    [
      chart('1.0.0', {
        'templates/two.yaml': configMap('two', { state: '{{ .Values.state }}' }),
        'values.yaml': 'state: fine\ngreeting: hello\n',
      }),
    ],
    [
      step(
        [
          apply(
            release({
              timeout: '30s',
              healthCheckExprs: [
                {
                  apiVersion: 'v1',
                  kind: 'ConfigMap',
                  inProgress: 'has(data.state) && data.state == "slow"',
                  failed: 'has(data.state) && data.state == "broken"',
                  current: '!has(data.state) || data.state == "fine"',
                },
              ],
            }),
          ),
        ],
        ready,
      ),
      step([patch({ values: { state: 'broken' } })], stalled),
      step([patch({ values: { state: 'slow' }, upgrade: { timeout: '3s' } })], stalled),
    ],
  ),
  story(
    'cross-ns-depends',
    'a dependency of another namespace is still looked up',
    ['HR-008', 'HR-018'],
    charts,
    [step([apply(depending({ namespace: 'rel-cross-ns-depends-b' }))], failed)],
    { profile: 'no-cross-namespace-refs', extraNamespaces: ['rel-cross-ns-depends-b'] },
  ),
]
