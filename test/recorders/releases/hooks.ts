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

const deleted = { ref: 'rel/app', deleted: true }
const isVersion = (version: number) => ({ ref: 'rel/app', ready: 'True', version })
const withHooks = (version: string, hooks: Readonly<Record<string, string>>) =>
  chart(version, Object.fromEntries(Object.entries(hooks).map(([name, text]) => [`templates/${name}.yaml`, text])))
const test = (name: string, hold?: 'failed') => job(name, { annotations: hook('test'), ...(hold && { hold }) })
const tested = { test: { enable: true } }

// No story of `helm.sh/hook-output-log-policy`: helm-controller 1.6.2 has no function to tell a log with, and its process ends (SIGSEGV).
export const hookStories: readonly Scenario[] = [
  story(
    'hooks-all',
    'hooks of every event, each once',
    ['HR-127', 'HR-128', 'HR-132', 'HR-104'],
    [
      withHooks(
        '1.0.0',
        Object.fromEntries(
          ['pre-install', 'post-install', 'pre-upgrade', 'post-upgrade', 'pre-delete', 'post-delete'].map(event => [
            event,
            configMap(event, {}, hook(event)),
          ]),
        ),
      ),
    ],
    [
      step([apply(release())], ready),
      step([patch({ values: { greeting: 'hi' } })], isVersion(2)),
      step([{ delete: { ref: 'rel/app' } }], deleted),
    ],
    {
      observe: [
        'ConfigMap/pre-install',
        'ConfigMap/post-install',
        'ConfigMap/pre-upgrade',
        'ConfigMap/post-upgrade',
        'ConfigMap/pre-delete',
        'ConfigMap/post-delete',
      ],
    },
  ),
  story(
    'hooks-weights',
    'weights, and what is no number',
    ['HR-128', 'HR-131'],
    [
      withHooks('1.0.0', {
        a: configMap('a', {}, hook('pre-install', { weight: '5' })),
        b: configMap('b', {}, hook('pre-install', { weight: '-5' })),
        c: configMap('c', {}, hook('pre-install', { weight: 'heavy' })),
        d: configMap('d', {}, hook('Pre-Install, post-install')),
      }),
    ],
    [step([apply(release())], ready)],
    { observe: ['ConfigMap/a', 'ConfigMap/b', 'ConfigMap/c', 'ConfigMap/d'] },
  ),
  story(
    'hooks-succeeded',
    'hook-succeeded deletes',
    ['HR-129', 'HR-132'],
    [
      withHooks('1.0.0', {
        a: job('a', { annotations: hook('pre-install', { 'delete-policy': 'hook-succeeded' }) }),
        b: job('b', { annotations: hook('post-install', { 'delete-policy': 'before-hook-creation,hook-succeeded' }) }),
      }),
    ],
    [step([apply(release())], ready)],
    { observe: ['batch/v1:Job/a', 'batch/v1:Job/b'] },
  ),
  story(
    'hooks-failed-kept',
    'a failed hook stays without a policy',
    ['HR-129', 'HR-131'],
    [withHooks('1.0.0', { a: job('a', { annotations: hook('pre-install'), hold: 'failed' }) })],
    [step([apply(release())], stalled)],
    { observe: ['batch/v1:Job/a'] },
  ),
  story(
    'hooks-failed-deleted',
    'a failed hook goes by its policy',
    ['HR-129', 'HR-131'],
    [
      withHooks('1.0.0', {
        a: job('a', { annotations: hook('pre-install', { 'delete-policy': 'hook-failed' }), hold: 'failed' }),
        o: configMap('o', {}, hook('pre-install', { weight: '-1', 'delete-policy': 'hook-succeeded' })),
      }),
    ],
    [step([apply(release())], stalled)],
    { observe: ['batch/v1:Job/a', 'ConfigMap/o'] },
  ),
  story(
    'hooks-post-failed',
    'a failed post-install hook',
    ['HR-131', 'HR-117'],
    [withHooks('1.0.0', { a: job('a', { annotations: hook('post-install'), hold: 'failed' }) })],
    [step([apply(release())], stalled)],
  ),
  story(
    'hooks-pre-upgrade-failed',
    'a failed pre-upgrade hook',
    ['HR-131', 'HR-117'],
    [chart('1.0.0'), withHooks('1.1.0', { a: job('a', { annotations: hook('pre-upgrade'), hold: 'failed' }) })],
    [step([apply(release())], ready), step([toVersion('1.1.0')], stalled)],
  ),
  story(
    'hooks-post-upgrade-failed',
    'a failed post-upgrade hook, and its rollback',
    ['HR-131', 'HR-070'],
    [chart('1.0.0'), withHooks('1.1.0', { a: job('a', { annotations: hook('post-upgrade'), hold: 'failed' }) })],
    [
      step([apply(release({ upgrade: { remediation: { retries: 0, remediateLastFailure: true } } }))], ready),
      step([toVersion('1.1.0')], stalled),
    ],
  ),
  story(
    'hooks-refused',
    'a hook that the API server refuses',
    ['HR-131'],
    [
      withHooks('1.0.0', {
        a: refused.replace('"name":"bad"', '"name":"bad","annotations":{"helm.sh/hook":"pre-install"}'),
      }),
    ],
    [step([apply(release())], stalled)],
  ),
  story(
    'hooks-pre-delete-failed',
    'a failed pre-delete hook keeps the release',
    ['HR-082', 'HR-124'],
    [withHooks('1.0.0', { a: job('a', { annotations: hook('pre-delete'), hold: 'failed' }) })],
    [
      step([apply(release())], ready),
      step([{ delete: { ref: 'rel/app' } }], { ref: 'rel/app', cond: ['Released', 'False'] }),
    ],
  ),
  story(
    'hooks-delete-disabled',
    'uninstall.disableHooks',
    ['HR-080', 'HR-124'],
    [withHooks('1.0.0', { a: job('a', { annotations: hook('pre-delete'), hold: 'failed' }) })],
    [
      step([apply(release({ uninstall: { disableHooks: true } }))], ready),
      step([{ delete: { ref: 'rel/app' } }], deleted),
    ],
    { observe: ['batch/v1:Job/a'] },
  ),
  story(
    'hooks-pod',
    'a Pod as a hook',
    ['HR-128'],
    [
      withHooks('1.0.0', {
        a: JSON.stringify({
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name: 'a', annotations: { ...hook('pre-install'), 'testcluster/hold': 'failed' } },
          spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'busybox:1' }] },
        }),
      }),
    ],
    [step([apply(release())], stalled)],
  ),
  story(
    'hooks-keep',
    'an object is kept by its policy when it leaves',
    ['HR-122'],
    [withHooks('1.0.0', { a: configMap('kept', {}, { 'helm.sh/resource-policy': 'keep' }) }), chart('1.1.0')],
    [step([apply(release())], ready), step([toVersion('1.1.0')], isVersion(2))],
    { observe: ['ConfigMap/kept'] },
  ),
  story(
    'tests-succeed',
    'tests after install and upgrade',
    ['HR-046', 'HR-074', 'HR-075', 'HR-105'],
    [withHooks('1.0.0', { one: test('one'), two: test('two') })],
    [step([apply(release(tested))], ready), step([patch({ values: { greeting: 'hi' } })], isVersion(2))],
  ),
  story(
    'tests-fail',
    'a failing test, without remediation',
    ['HR-077', 'HR-105'],
    [withHooks('1.0.0', { one: test('one', 'failed') })],
    [step([apply(release(tested))], stalled)],
  ),
  story(
    'tests-fail-uninstall',
    'a failing test, uninstalled and installed again',
    ['HR-077', 'HR-072', 'HR-105'],
    [withHooks('1.0.0', { one: test('one', 'failed') })],
    [
      step(
        [apply(release({ ...tested, install: { remediation: { retries: 1, remediateLastFailure: true } } }))],
        stalled,
      ),
    ],
  ),
  story(
    'tests-ignored-install',
    'a failing test that the installation ignores',
    ['HR-077', 'HR-057', 'HR-105'],
    [withHooks('1.0.0', { one: test('one', 'failed') })],
    [
      step([apply(release({ ...tested, install: { remediation: { ignoreTestFailures: true } } }))], {
        ref: 'rel/app',
        cond: ['TestSuccess', 'False'],
      }),
    ],
  ),
  story(
    'tests-ignored-upgrade',
    'a failing test that the upgrade ignores',
    ['HR-077', 'HR-063', 'HR-105'],
    [chart('1.0.0'), withHooks('1.1.0', { one: test('one', 'failed') })],
    [
      step([apply(release({ ...tested, upgrade: { remediation: { retries: 1, ignoreTestFailures: true } } }))], ready),
      step([toVersion('1.1.0')], { ref: 'rel/app', cond: ['TestSuccess', 'False'] }),
    ],
  ),
  story(
    'tests-later',
    'tests are enabled on a release that is there',
    ['HR-046', 'HR-074', 'HR-048'],
    [withHooks('1.0.0', { one: test('one') })],
    [
      step([apply(release())], ready),
      step([patch(tested)], { ref: 'rel/app', ready: 'True', cond: ['TestSuccess', 'True'] }),
      step([patch({ test: { enable: false } })], {
        ref: 'rel/app',
        ready: 'True',
        live: 'status.observedGeneration',
        value: 3,
      }),
    ],
  ),
  story(
    'tests-success-name',
    'test-success is a test',
    ['HR-127', 'HR-074'],
    [withHooks('1.0.0', { one: configMap('one', {}, hook('test-success')) })],
    [step([apply(release(tested))], ready)],
  ),
  story(
    'tests-excluded',
    'a filter excludes the failing test',
    ['HR-074'],
    [withHooks('1.0.0', { one: configMap('one', {}, hook('test')), two: test('two', 'failed') })],
    [step([apply(release({ test: { enable: true, filters: [{ name: 'two', exclude: true }] } }))], ready)],
  ),
  story(
    'tests-timeout',
    'a test that takes too long',
    ['HR-074', 'HR-077'],
    [withHooks('1.0.0', { one: job('one', { annotations: hook('test'), hold: 'unready' }) })],
    [step([apply(release({ test: { enable: true, timeout: '3s' } }))], stalled)],
  ),
  story(
    'tests-retry',
    'a failing test with RetryOnFailure',
    ['HR-058', 'HR-077'],
    [withHooks('1.0.0', { one: test('one', 'failed') })],
    [
      step([apply(release({ ...tested, install: { strategy: { name: 'RetryOnFailure', retryInterval: '60s' } } }))], {
        ref: 'rel/app',
        cond: ['TestSuccess', 'False'],
      }),
    ],
  ),

  story(
    'delete-plain',
    'the namespace of objects stays',
    ['HR-081', 'HR-083', 'HR-124'],
    [chart('1.0.0', { 'templates/web.yaml': deployment('web') })],
    [step([apply(release())], ready), step([{ delete: { ref: 'rel/app' } }], deleted)],
  ),
  story(
    'delete-orphan',
    'deletionPropagation orphan',
    ['HR-080'],
    [chart('1.0.0', { 'templates/web.yaml': deployment('web') })],
    [
      step([apply(release({ uninstall: { deletionPropagation: 'orphan', disableWait: true } }))], ready),
      step([{ delete: { ref: 'rel/app' } }], deleted),
    ],
  ),
  story(
    'delete-foreground',
    'deletionPropagation foreground',
    ['HR-080'],
    [chart('1.0.0', { 'templates/web.yaml': deployment('web') })],
    [
      step([apply(release({ uninstall: { deletionPropagation: 'foreground' } }))], ready),
      step([{ delete: { ref: 'rel/app' } }], deleted),
    ],
  ),
  story(
    'delete-keep-history',
    'keepHistory',
    ['HR-080', 'HR-117', 'HR-082'],
    [chart('1.0.0')],
    [
      step([apply(release({ uninstall: { keepHistory: true } }))], ready),
      step([{ delete: { ref: 'rel/app' } }], deleted),
    ],
  ),
  story(
    'delete-finalizer',
    'an object that does not go in time',
    ['HR-082', 'HR-124'],
    [
      chart('1.0.0', {
        'templates/slow.yaml': configMap('slow').replace(
          '"name":"slow"',
          '"name":"slow","finalizers":["example.com/slow"]',
        ),
      }),
    ],
    [
      step([apply(release({ uninstall: { timeout: '3s' } }))], ready),
      step([{ delete: { ref: 'rel/app' } }], { ref: 'rel/app', cond: ['Released', 'False'] }),
      step([{ patch: { ref: 'ConfigMap/slow', patch: { metadata: { finalizers: null } } } }], deleted),
    ],
  ),
  story(
    'delete-not-owned',
    'an object that is somebody else’s now is left',
    ['HR-124'],
    [chart('1.0.0')],
    [
      step([apply(release())], ready),
      step(
        [
          {
            patch: {
              ref: 'ConfigMap/app-cm',
              patch: { metadata: { annotations: { 'meta.helm.sh/release-name': 'other' } } },
            },
          },
          { delete: { ref: 'rel/app' } },
        ],
        deleted,
      ),
    ],
  ),
  story(
    'delete-storage-gone',
    'the release is not in the storage any more',
    ['HR-082'],
    [chart('1.0.0')],
    [
      step([apply(release())], ready),
      step([{ delete: { ref: 'Secret/sh.helm.release.v1.app.v1' } }, { delete: { ref: 'rel/app' } }], deleted),
    ],
    { observe: ['ConfigMap/app-cm'] },
  ),
  story(
    'delete-failed-install',
    'a failed installation is deleted',
    ['HR-081', 'HR-124'],
    [chart('1.0.0', { 'templates/bad.yaml': refused })],
    [step([apply(release())], stalled), step([{ delete: { ref: 'rel/app' } }], deleted)],
  ),
  story(
    'delete-before-install',
    'deleted before anything was installed',
    ['HR-081'],
    [chart('1.0.0', { 'templates/bad.yaml': '{{ fail "no" }}' })],
    [step([apply(release())], failed), step([{ delete: { ref: 'rel/app' } }], deleted)],
  ),
]
