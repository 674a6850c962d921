/** HelmReleases of pull requests, planned on a real cluster: their charts and values are in a real git server. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cluster } from '../bed/cluster.ts'
import { eventually } from '../bed/eventually.ts'
import { kubeconfigSecret } from '../bed/fleet-objects.ts'
import { forgeRepository } from '../bed/forge.ts'
import { hub } from '../bed/hub.ts'
import { forgeObjects, send } from './pull-request-parts.ts'

const chart = (version: string, more = '') => ({
  'charts/web/Chart.yaml': `apiVersion: v2\nname: web\nversion: ${version}\n`,
  'charts/web/values.yaml': 'size: small\ncolour: green\n',
  'charts/web/templates/settings.yaml': `apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Release.Name }}-settings}
data:
  size: {{ .Values.size }}
  colour: {{ .Values.colour }}
${more}`,
})

const release = (name: string, spec: string) => `apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: ${name}, namespace: default}
spec:
  interval: 1h
  kubeConfig: {secretRef: {name: prod}}
  chart: {spec: {chart: ./charts/web, sourceRef: {kind: GitRepository, name: app}}}
  ${spec}
`

const releases = (url: string) => `
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: app, namespace: default}
spec: {url: '${url}', ref: {branch: main}, interval: 1h}
---
apiVersion: v1
kind: Secret
metadata: {name: values, namespace: default}
stringData: {colour: colour-of-a-secret}
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: releases, namespace: default}
spec:
  interval: 1h
  prune: true
  path: ./hub
  sourceRef: {kind: GitRepository, name: app}
  postBuild: {substituteFrom: [{kind: Secret, name: values}]}
---
`

/** What the author of a pull request would try to get at values with. */
const probing = `  looked: {{ (lookup "v1" "Secret" "default" "planted").data | toString | quote }}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: "{{ .Values.colour }}-{{ (lookup "v1" "Secret" "default" "planted").data | toJson | b64enc | trunc 20 | lower | replace "=" "" }}-x"}
`

test('a pull request that changes a chart or the values of a HelmRelease is planned for its releases, and templates find out nothing', async () => {
  const files = {
    ...chart('1.0.0'),
    'hub/plain.yaml': release('plain', 'values: {size: medium}'),
    'hub/other.yaml': release('other', 'timeout: 1m').replace('./charts/web', './charts/other'),
    'hub/secretive.yaml': release(
      'secretive',
      'valuesFrom: [{kind: Secret, name: values, valuesKey: colour, targetPath: colour}]',
    ),
    'hub/substituted.yaml': release('substituted', "values: {colour: '${colour}'}"),
    ...Object.fromEntries(Object.entries(chart('1.0.0')).map(([path, text]) => [path.replace('web', 'other'), text])),
  }
  const [target, on, { repo, url, forge }] = await Promise.all([cluster(), hub(), forgeRepository('gitea', files)])
  await target.kubectl('create', 'secret', 'generic', 'planted', '-n', 'default', '--from-literal=key=planted-value')
  await on.apply(kubeconfigSecret('prod', target) + releases(url) + forgeObjects(url))
  const ready = (kind: string, name: string) =>
    on.kubectl('wait', `${kind}/${name}`, '-n', 'default', '--for=condition=Ready', '--timeout=90s')
  await ready('kustomization', 'releases')
  for (const name of ['plain', 'secretive', 'substituted']) await ready('helmrelease', name)
  await ready('receiver', 'gitea')
  const push = async (number: number, changes: Readonly<Record<string, string | null>>) => {
    const sha = await repo.push(changes, { branch: `change-${number}` })
    await repo.git('update-ref', `refs/pull/${number}/head`, sha)
    assert.match(await send(on, url, { sha, number }), /^200 ok/)
  }
  const commentOf = (number: number) =>
    eventually(() => forge.comments.find(({ pull }) => pull === String(number))?.text ?? null, { within: 90_000 })
  const isHarmless = (text: string) => {
    for (const secret of ['planted-value', 'cGxhbnRlZC12YWx1ZQ', 'colour-of-a-secret'])
      assert.ok(!text.includes(secret), text)
  }
  const before = await target.kubectl('get', 'configmaps,secrets', '-n', 'default', '-o', 'yaml')

  await push(1, chart('1.1.0', `  added: "yes"\n${probing}`))
  const first = await commentOf(1)
  isHarmless(first)
  assert.match(first, /\| `HelmRelease\/default\/plain` \| `Secret\/default\/prod` \| `\+1 ~1` \|/)
  assert.match(first, /! ConfigMap default\/plain-settings configured\n\+ {3}data\.added: yes\n/)
  for (const name of ['secretive', 'substituted'])
    assert.match(
      first,
      new RegExp(
        `\\| \`HelmRelease/default/${name}\` \\|.*\\| \`\\+1 ~1\`, as rendered without values that are not in the repository`,
      ),
    )
  assert.doesNotMatch(first, /default\/other`/, 'its chart is another one')
  await eventually(() => assert.equal(forge.statuses.at(-1)?.sent.description, '3 units: +3 ~3'))

  // Values in the HelmRelease itself; files of a chart without another version, which is not released; another cluster, which is not followed.
  await push(2, {
    'hub/plain.yaml': release('plain', 'values: {size: large}'),
    'hub/secretive.yaml': release('secretive', 'values: {size: large}').replace('name: prod', 'name: values'),
    'charts/web/values.yaml': 'size: small\ncolour: red\n',
  })
  const second = await commentOf(2)
  isHarmless(second)
  assert.match(second, /\| `HelmRelease\/default\/plain` .*\| `~1` \|/)
  assert.match(
    second,
    /! ConfigMap default\/plain-settings configured\n- {3}data\.size: medium\n\+ {3}data\.size: large\n/,
  )
  assert.match(second, /`HelmRelease\/default\/secretive` \|.*not planned: `the head changes spec\.kubeConfig/)
  assert.match(
    second,
    /`HelmRelease\/default\/substituted` \|.*not planned: `files of its chart change and its version does not/,
  )
  await eventually(() => assert.equal(forge.statuses.at(-1)?.sent.state, 'success'))
  assert.equal(await target.kubectl('get', 'configmaps,secrets', '-n', 'default', '-o', 'yaml'), before)
})
