import type { Scenario } from '../../conformance/flux/scenario.ts'
import {
  apply,
  chart,
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

const bad = chart('1.1.0', { 'templates/bad.yaml': refused })
const never = chart('1.1.0', { 'templates/web.yaml': deployment('web', { hold: 'unready' }) })
const two = [chart('1.0.0'), chart('1.1.0')]
const isVersion = (version: number) => ({ ref: 'rel/app', ready: 'True', version })
const retries = (more: object = {}) => ({ upgrade: { remediation: { retries: 1, ...more } } })

export const upgradeStories: readonly Scenario[] = [
  story('upgrade-plain', 'another version of the chart', ['HR-044', 'HR-048', 'HR-104', 'HR-117', 'HR-121'], two, [
    step([apply(release())], ready),
    step([toVersion('1.1.0')], isVersion(2)),
  ]),
  story(
    'upgrade-range',
    'a range of versions, and a new one in the repository',
    ['HR-044', 'HR-006'],
    [chart('1.0.0')],
    [
      step(
        [
          apply(
            release({
              chart: { spec: { chart: 'app', version: '1.x', sourceRef: { kind: 'HelmRepository', name: 'repo' } } },
            }),
          ),
        ],
        ready,
      ),
      step([{ publishHelm: { repo: 'repo', charts: two } }, { reconcile: ['hr/repo'] }], isVersion(2)),
    ],
  ),
  story('upgrade-downgrade', 'back to an older version of the chart', ['HR-044'], two, [
    step(
      [
        apply(
          release({
            chart: { spec: { chart: 'app', version: '1.1.0', sourceRef: { kind: 'HelmRepository', name: 'repo' } } },
          }),
        ),
      ],
      ready,
    ),
    step([toVersion('1.0.0')], isVersion(2)),
  ]),
  story('upgrade-nothing', 'a field that changes nothing', ['HR-044', 'HR-108', 'HR-049'], two, [
    step([apply(release())], ready),
    step([patch({ interval: '11m' })], { ref: 'rel/app', ready: 'True', live: 'status.observedGeneration', value: 2 }),
  ]),
  story(
    'upgrade-no-hooks',
    'disableHooks on an upgrade',
    ['HR-063'],
    [chart('1.0.0'), chart('1.1.0', { 'templates/hook.yaml': job('pre', { annotations: hook('pre-upgrade') }) })],
    [step([apply(release({ upgrade: { disableHooks: true } }))], ready), step([toVersion('1.1.0')], isVersion(2))],
    { observe: ['batch/v1:Job/pre'] },
  ),
  story(
    'upgrade-no-wait',
    'disableWait on an upgrade',
    ['HR-063', 'HR-098'],
    [chart('1.0.0'), never],
    [step([apply(release({ upgrade: { disableWait: true } }))], ready), step([toVersion('1.1.0')], isVersion(2))],
  ),
  story(
    'upgrade-refused',
    'an upgrade that the API server refuses, without retries',
    ['HR-071', 'HR-101', 'HR-117'],
    [chart('1.0.0'), bad],
    [step([apply(release())], ready), step([toVersion('1.1.0')], stalled)],
  ),
  story(
    'upgrade-remediated',
    'a failed upgrade is rolled back, twice',
    ['HR-064', 'HR-070', 'HR-072', 'HR-073', 'HR-104'],
    [chart('1.0.0'), bad],
    [step([apply(release(retries()))], ready), step([toVersion('1.1.0')], stalled)],
  ),
  story(
    'upgrade-not-last',
    'the last failed upgrade stays',
    ['HR-064', 'HR-071'],
    [chart('1.0.0'), bad],
    [step([apply(release(retries({ remediateLastFailure: false })))], ready), step([toVersion('1.1.0')], stalled)],
  ),
  story(
    'upgrade-last-only',
    'no retries, but the last failure is rolled back',
    ['HR-064', 'HR-072'],
    [chart('1.0.0'), bad],
    [
      step([apply(release(retries({ retries: 0, remediateLastFailure: true })))], ready),
      step([toVersion('1.1.0')], stalled),
    ],
  ),
  story(
    'upgrade-uninstalled',
    'strategy uninstall, with retries',
    ['HR-069', 'HR-072', 'HR-083'],
    [chart('1.0.0'), bad],
    [
      step(
        [apply(release({ ...retries({ strategy: 'uninstall' }), install: { remediation: { retries: 1 } } }))],
        ready,
      ),
      step([toVersion('1.1.0')], stalled),
    ],
  ),
  story(
    'upgrade-back',
    'after a rollback, the good version again',
    ['HR-053', 'HR-054', 'HR-073'],
    [chart('1.0.0'), bad],
    [
      step([apply(release(retries({ retries: 0, remediateLastFailure: true })))], ready),
      step([toVersion('1.1.0')], stalled),
      step([toVersion('1.0.0')], ready),
    ],
  ),
  story(
    'upgrade-fixed',
    'after a rollback, a better version',
    ['HR-053', 'HR-073'],
    [chart('1.0.0'), bad, chart('1.2.0')],
    [step([apply(release(retries()))], ready), step([toVersion('1.1.0')], stalled), step([toVersion('1.2.0')], ready)],
  ),
  story(
    'upgrade-retry',
    'RetryOnFailure on an upgrade',
    ['HR-059', 'HR-054', 'HR-049'],
    [chart('1.0.0'), bad, chart('1.2.0')],
    [
      step([apply(release({ upgrade: { strategy: { name: 'RetryOnFailure', retryInterval: '5m' } } }))], ready),
      step([toVersion('1.1.0')], { ref: 'rel/app', ready: 'False', version: 2, cond: ['Reconciling', 'True'] }),
      step([toVersion('1.2.0')], ready),
    ],
  ),
  story(
    'upgrade-rollback-options',
    'rollback without hooks and waits',
    ['HR-079'],
    [chart('1.0.0', { 'templates/h.yaml': job('back', { annotations: hook('pre-rollback') }) }), bad],
    [
      step(
        [
          apply(
            release({
              ...retries({ retries: 0, remediateLastFailure: true }),
              rollback: { disableHooks: true, disableWait: true, timeout: '1m' },
            }),
          ),
        ],
        ready,
      ),
      step([toVersion('1.1.0')], stalled),
    ],
    { observe: ['batch/v1:Job/back'] },
  ),
  story(
    'upgrade-rollback-recreate',
    'recreate has no effect',
    ['HR-079'],
    [chart('1.0.0', { 'templates/web.yaml': deployment('web') }), bad],
    [
      step(
        [apply(release({ ...retries({ retries: 0, remediateLastFailure: true }), rollback: { recreate: true } }))],
        ready,
      ),
      step([toVersion('1.1.0')], stalled),
    ],
  ),
  story(
    'upgrade-rollback-cleanup',
    'cleanupOnFail of a rollback that works',
    ['HR-079'],
    [chart('1.0.0', { 'templates/extra.yaml': configMap('extra') }), bad],
    [
      step(
        [apply(release({ ...retries({ retries: 0, remediateLastFailure: true }), rollback: { cleanupOnFail: true } }))],
        ready,
      ),
      step([toVersion('1.1.0')], stalled),
    ],
  ),
  story(
    'upgrade-rollback-fails',
    'a rollback whose hook fails',
    ['HR-079', 'HR-073'],
    [chart('1.0.0', { 'templates/h.yaml': job('back', { annotations: hook('pre-rollback'), hold: 'failed' }) }), bad],
    [
      step([apply(release(retries({ retries: 0, remediateLastFailure: true })))], ready),
      step([toVersion('1.1.0')], { ref: 'rel/app', cond: ['Remediated', 'False'] }),
    ],
  ),
  story(
    'upgrade-rollback-refused',
    'a rollback that the API server refuses, as a ConfigMap has become immutable',
    ['HR-079', 'HR-073', 'HR-123'],
    [
      chart('1.0.0', { 'templates/fixed.yaml': configMap('fixed') }),
      chart('1.1.0', {
        'templates/fixed.yaml': JSON.stringify({ ...JSON.parse(configMap('fixed')), immutable: true }),
        'templates/web.yaml': deployment('web', { hold: 'unready' }),
      }),
    ],
    [
      step([apply(release({ ...retries({ retries: 0, remediateLastFailure: true }), timeout: '4s' }))], ready),
      step([toVersion('1.1.0')], { ref: 'rel/app', cond: ['Remediated', 'False'] }),
    ],
  ),
  story(
    'upgrade-rollback-unready',
    'a rollback to what is never ready',
    ['HR-079', 'HR-073', 'HR-123'],
    [chart('1.0.0', { 'templates/web.yaml': deployment('web', { hold: 'unready' }) }), bad],
    [
      step(
        [
          apply(
            release({
              install: { disableWait: true },
              ...retries({ retries: 0, remediateLastFailure: true }),
              timeout: '4s',
            }),
          ),
        ],
        ready,
      ),
      step([toVersion('1.1.0')], { ref: 'rel/app', cond: ['Remediated', 'False'] }),
    ],
  ),
  story(
    'upgrade-rollback-ssa',
    'server-side apply is asked for in the rollback',
    ['HR-079', 'HR-067'],
    [chart('1.0.0'), bad],
    [
      step(
        [
          apply(
            release({
              install: { serverSideApply: false },
              ...retries({ retries: 0, remediateLastFailure: true }),
              rollback: { serverSideApply: 'enabled' },
            }),
          ),
        ],
        ready,
      ),
      step([toVersion('1.1.0')], stalled),
    ],
  ),
  story(
    'upgrade-rollback-csa',
    'server-side apply is disabled in the rollback',
    ['HR-079', 'HR-067'],
    [chart('1.0.0'), bad],
    [
      step(
        [
          apply(
            release({
              ...retries({ retries: 0, remediateLastFailure: true }),
              rollback: { serverSideApply: 'disabled' },
            }),
          ),
        ],
        ready,
      ),
      step([toVersion('1.1.0')], stalled),
    ],
  ),
  story(
    'upgrade-timeout',
    'an upgrade that is never ready, and goes back',
    ['HR-097', 'HR-070', 'HR-050'],
    [chart('1.0.0'), never],
    [
      step([apply(release(retries({ retries: 0, remediateLastFailure: true })))], ready),
      step(
        [toVersion('1.1.0', { upgrade: { timeout: '4s', remediation: { retries: 0, remediateLastFailure: true } } })],
        stalled,
      ),
    ],
  ),
  story(
    'upgrade-field-leaves',
    'a field leaves an object of the chart',
    ['HR-122'],
    [
      chart('1.0.0', { 'templates/two.yaml': configMap('two', { a: '1', b: '2' }) }),
      chart('1.1.0', { 'templates/two.yaml': configMap('two', { a: '1' }) }),
    ],
    [step([apply(release())], ready), step([toVersion('1.1.0')], isVersion(2))],
  ),
  story(
    'upgrade-field-leaves-csa',
    'a field leaves an object, client-side',
    ['HR-122', 'HR-067'],
    [
      chart('1.0.0', { 'templates/two.yaml': configMap('two', { a: '1', b: '2' }) }),
      chart('1.1.0', { 'templates/two.yaml': configMap('two', { a: '1' }) }),
    ],
    [step([apply(release({ install: { serverSideApply: false } }))], ready), step([toVersion('1.1.0')], isVersion(2))],
  ),
  story(
    'upgrade-takes-over',
    'a new object of the chart is there already',
    ['HR-061'],
    [chart('1.0.0'), chart('1.1.0', { 'templates/new.yaml': configMap('new') })],
    [
      step(
        [
          apply(release()),
          apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'new' }, data: { c: 'd' } } as never),
        ],
        ready,
      ),
      step([toVersion('1.1.0')], isVersion(2)),
    ],
  ),
  story(
    'upgrade-no-ownership',
    'a new object is there already, and is not taken over',
    ['HR-061', 'HR-052'],
    [chart('1.0.0'), chart('1.1.0', { 'templates/new.yaml': configMap('new') })],
    [
      step(
        [
          apply(release({ upgrade: { disableTakeOwnership: true } })),
          apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'new' }, data: { c: 'd' } } as never),
        ],
        ready,
      ),
      step([toVersion('1.1.0')], failed),
    ],
  ),
  story('upgrade-object-gone', 'an object of the release was deleted by hand', ['HR-122'], two, [
    step([apply(release())], ready),
    step([{ delete: { ref: 'ConfigMap/app-cm' } }, toVersion('1.1.0')], isVersion(2)),
  ]),
  story(
    'upgrade-target-ns',
    'another target namespace',
    ['HR-037', 'HR-083'],
    [chart('1.0.0')],
    [
      step([apply(release())], ready),
      step([patch({ targetNamespace: 'rel-upgrade-target-ns-b' })], {
        ref: 'rel/app',
        ready: 'True',
        live: 'status.observedGeneration',
        value: 2,
      }),
    ],
    { extraNamespaces: ['rel-upgrade-target-ns-b'], observe: ['ConfigMap/app-cm'] },
  ),
  story(
    'upgrade-release-name',
    'another release name',
    ['HR-037', 'HR-060'],
    [chart('1.0.0')],
    [
      step([apply(release())], ready),
      step([patch({ releaseName: 'other' })], {
        ref: 'rel/app',
        ready: 'True',
        live: 'status.observedGeneration',
        value: 2,
      }),
    ],
    { observe: ['ConfigMap/app-cm'] },
  ),
  story(
    'upgrade-storage-ns',
    'another storage namespace',
    ['HR-037'],
    [chart('1.0.0')],
    [
      step([apply(release())], ready),
      step([patch({ storageNamespace: 'rel-upgrade-storage-ns-b' })], {
        ref: 'rel/app',
        ready: 'True',
        live: 'status.observedGeneration',
        value: 2,
      }),
    ],
    { extraNamespaces: ['rel-upgrade-storage-ns-b'] },
  ),
  story(
    'upgrade-common',
    'common metadata comes and changes',
    ['HR-045', 'HR-090', 'HR-093'],
    [chart('1.0.0')],
    [
      step([apply(release({ commonMetadata: { labels: { team: 'a' }, annotations: { note: 'x <&>' } } }))], ready),
      step([patch({ commonMetadata: { labels: { team: 'b' } } })], isVersion(2)),
      step([patch({ commonMetadata: null })], isVersion(3)),
    ],
  ),
  story(
    'upgrade-post-renderers',
    'post-renderers come and change',
    ['HR-045', 'HR-090', 'HR-093'],
    [chart('1.0.0', { 'templates/web.yaml': deployment('web') })],
    [
      step([apply(release())], ready),
      step([patch({ postRenderers: [{ kustomize: { images: [{ name: 'nginx', newTag: '2' }] } }] })], isVersion(2)),
      step(
        [
          patch({
            postRenderers: [
              {
                kustomize: {
                  images: [{ name: 'nginx', newTag: '3' }],
                  patches: [
                    { target: { kind: 'ConfigMap' }, patch: '- op: add\n  path: /data/more\n  value: "<1>"\n' },
                  ],
                },
              },
            ],
          }),
        ],
        isVersion(3),
      ),
    ],
  ),
]
