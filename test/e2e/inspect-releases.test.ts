import assert from 'node:assert/strict'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { cluster } from '../bed/cluster.ts'
import { type Ending, ending } from '../bed/command.ts'
import { eventually } from '../bed/eventually.ts'
import { fleetRepository, kubeconfigSecret } from '../bed/fleet-objects.ts'
import { gitRepo } from '../bed/git-repo.ts'
import { hub } from '../bed/hub.ts'
import { program } from '../bed/keelson-program.ts'
import { tempDir } from '../bed/temp-dir.ts'

/** The commands that look without touching, about a HelmRelease `web` of the hub whose chart lies in git and goes to a cluster. */

const files: Readonly<Record<string, string>> = {
  'web/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\nappVersion: "7.0"\n',
  'web/values.yaml': 'size: small\n',
  'web/templates/map.yaml': `apiVersion: v1
kind: ConfigMap
metadata: {name: web}
data:
  size: {{ .Values.size }}
  seen: {{ ((lookup "v1" "ConfigMap" .Release.Namespace "seen").data).word | default "nothing" }}
`,
  'web/templates/login.yaml': `apiVersion: v1
kind: Secret
metadata: {name: login}
stringData: {password: {{ .Values.password }}}
`,
  'web/templates/old.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: old}\n',
  'web/templates/hook.yaml': `apiVersion: v1
kind: ConfigMap
metadata: {name: hook, annotations: {helm.sh/hook: pre-upgrade}}
`,
}

const release = `
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: web, namespace: default}
spec:
  interval: 1h
  chart: {spec: {chart: web, reconcileStrategy: Revision, sourceRef: {kind: GitRepository, name: fleet}}}
  kubeConfig: {secretRef: {name: target}}
  valuesFrom: [{kind: Secret, name: values}]
`

const parent = `
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: parent, namespace: default}
spec: {interval: 1h, prune: true, path: parent, sourceRef: {kind: GitRepository, name: fleet}}
`

const secret = `
apiVersion: v1
kind: Secret
metadata: {name: values, namespace: default}
stringData: {values.yaml: "password: hunter2"}
`

const [target, source, control] = await Promise.all([
  cluster(),
  gitRepo({ ...files, 'parent/web.yaml': release }),
  hub(),
])

before(async () => {
  await target.kubectl('create', 'configmap', 'seen', '--from-literal=word=live', '-n', 'default')
  await control.apply([kubeconfigSecret('target', target), secret, fleetRepository(source), parent].join('\n---\n'))
  await eventually(() =>
    control.kubectl('wait', 'helmrelease/web', '--for=condition=Ready', '--timeout=1s', '-n', 'default'),
  )
})

const keelson = (...args: string[]): Promise<Ending> =>
  ending(process.execPath, [program, ...args, '-n', 'default'], {
    env: { PATH: process.env.PATH, KUBECONFIG: control.kubeconfig },
  })

const folder = (changed: Readonly<Record<string, string>>): string => tempDir({ ...files, ...changed })

test('HR-159 build prints what an upgrade would store, with live lookups, and Secrets masked', async () => {
  const { stdout, stderr, exitCode } = await keelson('build', 'hr', 'web')
  assert.deepEqual([stderr, exitCode], ['', 0])
  assert.match(stdout, /# Source: web\/templates\/map\.yaml\n/)
  assert.match(stdout, /seen: live\n {2}size: small\n/)
  assert.match(stdout, /helm\.toolkit\.fluxcd\.io\/name: web\n/)
  assert.match(stdout, /password: '\*\*\*'\n/)
  assert.match(stdout, /helm\.sh\/hook: pre-upgrade\n/)
  assert.doesNotMatch(stdout, /hunter2/)
  assert.match((await keelson('build', 'hr', 'web', '--show-secrets')).stdout, /password: hunter2\n/)
})

test('HR-159 build without a hub leaves out what only a hub and a cluster know', async () => {
  const root = folder({
    'web.yaml': release.replace('valuesFrom: [{kind: Secret, name: values}]', 'values: {password: x}'),
  })
  const local = ['--dry-run', '--helmrelease-file', join(root, 'web.yaml'), '--path', join(root, 'web')]
  const { stdout, stderr, exitCode } = await keelson('build', 'helmrelease', 'web', ...local)
  assert.deepEqual([stderr, exitCode], ['', 0])
  assert.match(stdout, /seen: nothing\n/)
  const refused = await keelson('build', 'hr', 'web', '--dry-run')
  assert.deepEqual([refused.exitCode, refused.stderr], [1, '✗ --dry-run needs --helmrelease-file and --path\n'])
})

test('HR-159 diff of a release that is as it should be says nothing and ends with 0', async () => {
  assert.deepEqual(await keelson('diff', 'hr', 'web'), { stdout: '', stderr: '', exitCode: 0 })
})

test('HR-159 diff reports what an upgrade would change on the cluster, with Secret values masked, and changes nothing', async () => {
  const { 'web/templates/old.yaml': old, ...others } = files
  const root = tempDir({
    ...others,
    'web/Chart.yaml': files['web/Chart.yaml']!.replace('1.0.0', '1.1.0'),
    'web/templates/new.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: new}\n',
    'web.yaml': `${release}  values: {size: large, password: correct horse}\n`,
  })
  const local = ['--helmrelease-file', join(root, 'web.yaml'), '--path', join(root, 'web')]
  const { stdout, stderr, exitCode } = await keelson('diff', 'hr', 'web', ...local)
  assert.equal(
    stdout.replace(/\+[0-9a-f]+(?= to )/, '+HASH'),
    `► upgrade of web.v1 with chart web@1.0.0+HASH to web.v2 with chart web@1.1.0
► hook ConfigMap/default/hook runs (pre-upgrade)
► Secret/default/login changed
  @@ -1,6 +1,6 @@
   apiVersion: v1
   data:
  -  password: '*** (before)'
  +  password: '*** (after)'
   kind: Secret
   metadata:
     annotations:
► ConfigMap/default/web changed
  @@ -1,7 +1,7 @@
   apiVersion: v1
   data:
     seen: live
  -  size: small
  +  size: large
   kind: ConfigMap
   metadata:
     annotations:
► ConfigMap/default/new created
► ConfigMap/default/old deleted
`,
  )
  assert.deepEqual([exitCode, stderr], [1, '✗ identified at least one change, exiting with non-zero exit code\n'])
  assert.match(await target.kubectl('get', 'configmap', 'web', '-o', 'yaml'), /size: small/)
})

test('HR-159 diff reports every object that the cluster refuses, those that it takes too, and ends with 2', async () => {
  const root = folder({
    'web/templates/bad.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: Bad_Name}\n',
    'web/templates/worse.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: Worse_Name}\n',
    'web/templates/new.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: new}\n',
  })
  const { stdout, stderr, exitCode } = await keelson('diff', 'hr', 'web', '--path', join(root, 'web'))
  assert.equal(exitCode, 2)
  assert.match(stdout, /► ConfigMap\/default\/new created\n/)
  assert.match(
    stderr,
    /ConfigMap\/default\/Bad_Name: .*Invalid value[^\n]*\nConfigMap\/default\/Worse_Name: .*Invalid value/,
  )
})

test("HR-159 what is wrong with a chart's template is reported with file and line", async () => {
  const root = folder({ 'web/templates/map.yaml': 'a: b\n{{ fail "no luck" }}\n' })
  const { stderr, exitCode } = await keelson('diff', 'hr', 'web', '--path', join(root, 'web'))
  assert.deepEqual([exitCode, stderr], [2, '✗ execution error at (web/templates/map.yaml:2:3): no luck\n'])
})

test('HR-159 diff of a HelmRelease that is not in the hub yet, with definitions and a namespace that are not there', async () => {
  const root = folder({
    'web/crds/crd.yaml': `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: toys.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Toy, plural: toys}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
`,
    'web/templates/toy.yaml': `{{- if .Capabilities.APIVersions.Has "example.com/v1/Toy" }}
apiVersion: example.com/v1
kind: Toy
metadata: {name: toy}
{{- end }}
`,
    'web.yaml': `${release.replace('name: web, n', 'name: other, n')}  targetNamespace: elsewhere\n  install: {createNamespace: true}\n`,
  })
  const local = ['--helmrelease-file', join(root, 'web.yaml'), '--path', join(root, 'web')]
  const { stdout, stderr, exitCode } = await keelson('diff', 'hr', 'other', ...local)
  assert.match(stderr, /^✗ identified at least one change/)
  assert.equal(
    stdout,
    `► installation of elsewhere-other.v1 with chart web@1.0.0
► Namespace/elsewhere created
► CustomResourceDefinition/toys.example.com created
► Secret/elsewhere/login created
► ConfigMap/elsewhere/web created
► ConfigMap/elsewhere/old created
► Toy/elsewhere/toy created
`,
  )
  assert.equal(exitCode, 1)
  const missing = await keelson('diff', 'hr', 'other')
  assert.deepEqual(
    [missing.exitCode, missing.stderr],
    [2, '✗ failed to get helmrelease object: helmreleases.helm.toolkit.fluxcd.io "other" not found\n'],
  )
})

test('tree goes from a Kustomization through a HelmRelease to what is in its release', async () => {
  const release = `HelmRelease/default/web  (ready; kubeconfig in Secret default/target)`
  const { stdout } = await keelson('tree', 'ks', 'parent')
  assert.equal(
    stdout,
    `Kustomization/default/parent  (ready)
└── ${release}
    ├── Secret/default/login
    ├── ConfigMap/default/web
    └── ConfigMap/default/old

`,
  )
  assert.match((await keelson('tree', 'hr', 'web')).stdout, /^HelmRelease\/default\/web {2}\(ready[^\n]*\n├── Secret/)
})

test('trace leads from an object of a release to the HelmRelease, its chart and the source of that', async () => {
  const { stdout } = await keelson('trace', 'configmap', 'old')
  const fixed = stdout
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, 'TIME')
    .replaceAll(/sha1:[0-9a-f]{40}/g, 'sha1:HASH')
    .replaceAll(/\+[0-9a-f]+/g, '+HASH')
  assert.equal(
    fixed,
    `Object:          ConfigMap/old
Namespace:       default
Status:          Managed by Flux
Cluster:         kubeconfig in Secret default/target
---
HelmRelease:     web
Namespace:       default
Revision:        1.0.0+HASH
Status:          Last reconciled at TIME
Message:         Helm install succeeded for release default/web.v1 with chart web@1.0.0+HASH
---
HelmChart:       default-web
Namespace:       default
Chart:           web
Version:         *
Revision:        1.0.0+HASH
Status:          Last reconciled at TIME
Message:         packaged 'web' chart with version '1.0.0+HASH'
---
GitRepository:   fleet
Namespace:       default
URL:             ${source.url}
Branch:          main
Revision:        main@sha1:HASH
Status:          Last reconciled at TIME
Message:         stored artifact for revision 'main@sha1:HASH'
`,
  )
})

test('why and history report the release', async () => {
  const { stdout, exitCode } = await keelson('why', 'hr/web')
  assert.match(stdout, /^HelmRelease\/default\/web is ready/)
  assert.match(stdout, / {2}cluster {4}kubeconfig in Secret default\/target\n/)
  assert.match(stdout, / {2}release {4}default\/web\.v1 with chart web@1\.0\.0\+[0-9a-f]+ is deployed\n/)
  assert.equal(exitCode, 0)
  const history = await keelson('history', 'hr', 'web')
  assert.match(
    history.stdout,
    /^REVISION +UPDATED +STATUS +CHART +APP VERSION +ACTION\n1 +\S+Z +deployed +web-1\.0\.0\S+ +7\.0 +install\n$/,
  )
  assert.match((await keelson('history', 'ks/parent')).stdout, /^FIRST[^\n]*\n[^\n]*main@sha1:/)
})

test('why names the chart that a HelmRelease waits for', async () => {
  await control.apply(release.replace('name: web, n', 'name: stuck, n').replace('chart: web,', 'chart: nowhere,'))
  await eventually(async () => {
    const { stdout, exitCode } = await keelson('why', 'hr/stuck')
    assert.match(
      stdout,
      / {2}because of HelmChart\/default\/default-stuck, which is stalled: [^\n]*InvalidChartReference: /,
    )
    assert.equal(exitCode, 1)
  })
})
