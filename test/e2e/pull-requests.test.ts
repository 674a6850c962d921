/** Pull requests, planned on real clusters: one comment and a commit's status, in a forge beside a real git server. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { GitRepository } from '../../lib/foundations/kinds/git-repository.ts'
import type { PullRequest } from '../../lib/foundations/kinds/pull-request.ts'
import { cluster } from '../bed/cluster.ts'
import { eventually } from '../bed/eventually.ts'
import { kubeconfigSecret } from '../bed/fleet-objects.ts'
import { forgeRepository } from '../bed/forge.ts'
import { hub } from '../bed/hub.ts'
import { joinToken, runner } from '../bed/runner.ts'
import { forgeObjects, send } from './pull-request-parts.ts'

const configMap = (name: string, data: string) =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, namespace: default}\ndata: ${data}\n`

const chart = (version: string, more = '') => ({
  'charts/web/Chart.yaml': `apiVersion: v2\nname: web\nversion: ${version}\n`,
  'charts/web/templates/settings.yaml': `apiVersion: v1
kind: ConfigMap
metadata: {name: web-settings}
data:
  size: {{ .Values.size }}
${more}`,
})

const release = (size: string) => `apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: web, namespace: default}
spec:
  interval: 1h
  kubeConfig: {configMapRef: {name: aurora}}
  chart: {spec: {chart: ./charts/web, sourceRef: {kind: GitRepository, name: app}}}
  values: {size: ${size}}
`

const files = {
  'app/a.yaml': configMap('a', '{value: one, size: "3"}'),
  'app/dropped.yaml': configMap('dropped', '{value: one}'),
  'app/secret.yaml':
    'apiVersion: v1\nkind: Secret\nmetadata: {name: s, namespace: default}\nstringData: {password: in-git-password}\n',
  'app/variable.yaml': configMap('uses-variable', '{variable: "${password}"}'),
  'other/b.yaml': configMap('b', '{value: one}'),
  'behind/c.yaml': configMap('c', '{value: one}'),
  'behind/d.yaml': configMap('d', '{variable: "${password}"}'),
  'hub/web.yaml': release('small'),
  ...chart('1.0.0'),
}

const objects = (url: string) => `
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: app, namespace: default, labels: {app: one}}
spec: {url: '${url}', ref: {branch: main}, interval: 1h}
---
apiVersion: v1
kind: Secret
metadata: {name: variables, namespace: default}
stringData: {password: variable-of-a-secret}
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: app, namespace: default}
spec:
  interval: 1h
  prune: true
  path: ./app
  sourceRef: {kind: GitRepository, name: app}
  kubeConfig: {secretRef: {name: prod}}
  postBuild: {substituteFrom: [{kind: Secret, name: variables}]}
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: other, namespace: default}
spec: {interval: 1h, prune: true, path: ./other, sourceRef: {kind: GitRepository, name: app}, kubeConfig: {secretRef: {name: prod}}}
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: behind, namespace: default}
spec:
  interval: 1h
  prune: true
  path: ./behind
  sourceRef: {kind: GitRepository, name: app}
  kubeConfig: {configMapRef: {name: aurora}}
  postBuild: {substituteFrom: [{kind: Secret, name: variables}]}
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: releases, namespace: default}
spec: {interval: 1h, prune: true, path: ./hub, sourceRef: {kind: GitRepository, name: app}}
---
`

test('a pull request is planned on the cluster: one comment that is kept up to date, a status, and nothing is written or revealed', async () => {
  const [target, on, { repo, url, forge }] = await Promise.all([cluster(), hub(), forgeRepository('gitea', files)])
  const joining = await joinToken(on, 'aurora')
  await on.apply(kubeconfigSecret('prod', target) + objects(url) + forgeObjects(url))
  runner(on, target, { cluster: 'default/aurora', joinToken: joining })
  const ready = (kind: string, name: string) =>
    on.kubectl('wait', `${kind}/${name}`, '-n', 'default', '--for=condition=Ready', '--timeout=60s')
  for (const name of ['app', 'other', 'behind', 'releases']) await ready('kustomization', name)
  await ready('helmrelease', 'web')
  await ready('receiver', 'gitea')
  // Somebody scales by hand, and another object on the cluster was never in the repository.
  await target.kubectl('create', 'configmap', 'foreign', '-n', 'default', '--from-literal=key=live-value')

  const before = await target.kubectl('get', 'configmaps,secrets', '-n', 'default', '-o', 'yaml')
  const push = async (changes: Readonly<Record<string, string | null>>) => {
    const sha = await repo.push(changes, { branch: 'change' })
    await repo.git('update-ref', 'refs/pull/1/head', sha)
    return sha
  }
  const first = await push({
    'app/a.yaml': configMap('a', '{value: two, size: "3"}'),
    'app/dropped.yaml': null,
    'app/new.yaml': configMap('new', '{value: "1"}'),
    // What a stranger would try: live values, and those of variables, under any name.
    'app/foreign.yaml': configMap('foreign', '{key: guess}'),
    'app/secret.yaml':
      'apiVersion: v1\nkind: Secret\nmetadata: {name: s, namespace: default}\nstringData: {password: another-password}\n',
    'app/variable.yaml': configMap('uses-variable', '{variable: "x-${password}", "${password}": name}'),
  })
  assert.equal(await send(on, url, { sha: first }), `200 ok: pull request 1 is planned at ${first.slice(0, 12)}`)
  await eventually(() => assert.equal(forge.comments.length, 1), { within: 60_000 })
  const [comment] = forge.comments
  assert.match(comment!.text, /\| `Kustomization\/default\/app` \| `Secret\/default\/prod` \| `\+1 ~4 -1` \|/)
  assert.doesNotMatch(comment!.text, /default\/other/, 'its build is the same')
  assert.match(
    comment!.text,
    /! ConfigMap default\/a configured \(app\/a\.yaml\)\n- {3}data\.value: one\n\+ {3}data\.value: two\n/,
  )
  assert.match(comment!.text, /^\+ ConfigMap default\/new created \(app\/new\.yaml\)$/m)
  assert.match(comment!.text, /^- ConfigMap default\/dropped deleted$/m)
  assert.match(comment!.text, /- {3}data\.key: \(a value that is not in the repository\)\n\+ {3}data\.key: guess/)
  assert.match(
    comment!.text,
    /! Secret default\/s configured .*\n- {3}data\.password: \*\*\*\n\+ {3}data\.password: \*\*\*/,
  )
  for (const secret of [
    'live-value',
    'variable-of-a-secret',
    'in-git-password',
    'another-password',
    Buffer.from('another-password').toString('base64'),
  ])
    assert.ok(!comment!.text.includes(secret), secret)
  await eventually(() => assert.equal(forge.statuses.at(-1)?.sent.state, 'success'))
  assert.deepEqual(
    forge.statuses.map(({ commit, sent }) => [commit, sent.context, sent.state, sent.description]),
    [
      [first, 'keelson/default/gitea', 'pending', 'Planning'],
      [first, 'keelson/default/gitea', 'success', '1 unit: +1 ~4 -1'],
    ],
  )
  assert.equal(
    await target.kubectl('get', 'configmaps,secrets', '-n', 'default', '-o', 'yaml'),
    before,
    'nothing was written',
  )
  const request = await on.get<PullRequest>('pullrequest', 'gitea-1', '-n', 'default')
  assert.deepEqual(request.status?.plans, [
    { kind: 'Kustomization', namespace: 'default', name: 'app', cluster: 'Secret/default/prod', summary: '+1 ~4 -1' },
  ])
  const head = await on.get<GitRepository>('gitrepository', 'app-pr-1', '-n', 'default')
  assert.equal(head.status?.artifact?.revision, `refs/pull/1/head@sha1:${first}`)

  // A new head changes the same comment; one that does not build says where.
  const second = await push({ 'app/new.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: [}\n' })
  assert.match(await send(on, url, { sha: second }), /^200 ok/)
  await eventually(
    () =>
      assert.match(
        forge.comments[0]!.text,
        /failed: `failed to decode Kubernetes YAML from \/app\/new\.yaml: .*line 2/,
      ),
    { within: 90_000 },
  )
  assert.equal(forge.comments.length, 1)
  await eventually(() =>
    assert.deepEqual([forge.statuses.at(-1)?.commit, forge.statuses.at(-1)?.sent.state], [second, 'failure']),
  )

  // Of a fork that is not listed nothing is fetched; a listed one is planned.
  assert.match(
    await send(on, url, { sha: second, head: 'stranger/app', number: 2 }),
    /^200 ok: pull request 2 is of a fork that .* does not list/,
  )
  await repo.git('update-ref', 'refs/pull/3/head', first)
  assert.match(await send(on, url, { sha: first, head: 'friend/app', number: 3 }), /^200 ok: pull request 3 is planned/)
  await eventually(() => assert.ok(forge.comments.some(({ pull }) => pull === '3')), { within: 60_000 })

  // A cluster that only a runner reaches: it plans, HelmReleases too, and shows no more.
  const unreached = await repo.push(
    {
      'behind/c.yaml': configMap('c', '{value: two}'),
      'behind/d.yaml': configMap('d', '{variable: "x-${password}"}'),
      'behind/foreign.yaml': configMap('foreign', '{key: guess}'),
      'hub/web.yaml': release('large'),
      ...chart(
        '1.1.0',
        '  looked: {{ (lookup "v1" "ConfigMap" "default" "foreign").data | toString | quote }}\n  added: "yes"\n',
      ),
    },
    { branch: 'change-behind' },
  )
  await repo.git('update-ref', 'refs/pull/4/head', unreached)
  assert.match(await send(on, url, { sha: unreached, number: 4 }), /^200 ok/)
  const behind = await eventually(() => forge.comments.find(({ pull }) => pull === '4')?.text ?? null, {
    within: 60_000,
  })
  assert.match(behind, /\| `Kustomization\/default\/behind` \| `ConfigMap\/default\/aurora` \| `~3` \|/)
  assert.match(behind, /- {3}data\.value: one\n\+ {3}data\.value: two\n/)
  assert.match(behind, /- {3}data\.variable: \*\*\*\n\+ {3}data\.variable: \*\*\*\n/)
  assert.match(behind, /- {3}data\.key: \(a value that is not in the repository\)\n\+ {3}data\.key: guess/)
  assert.match(behind, /\| `HelmRelease\/default\/web` \| `ConfigMap\/default\/aurora` \| `~1` \|/)
  assert.match(behind, /! ConfigMap default\/web-settings configured\n/)
  assert.match(
    behind,
    /- {3}data\.size: small\n\+ {3}data\.size: large\n\+ {3}data\.added: yes\n\+ {3}data\.looked: <nil>\n/,
  )
  for (const secret of ['live-value', 'variable-of-a-secret']) assert.ok(!behind.includes(secret), secret)
  await eventually(() => {
    const { commit, sent } = forge.statuses.at(-1)!
    assert.deepEqual([commit, sent.state, sent.description], [unreached, 'success', '3 units: ~5'])
  })
  assert.equal(await target.kubectl('get', 'configmaps,secrets', '-n', 'default', '-o', 'yaml'), before)

  // Its end takes everything with it.
  for (const number of [1, 3, 4])
    assert.match(await send(on, url, { sha: second, state: 'closed', number }), /is closed$/)
  await eventually(
    async () => {
      const left = await on.kubectl('get', 'pullrequests,gitrepositories', '-n', 'default', '-o', 'name')
      assert.equal(left.trim(), 'gitrepository.source.toolkit.fluxcd.io/app')
    },
    { within: 60_000 },
  )
})
