import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { CommandFailed } from '../../../lib/cli/command-failed.ts'
import { kustomizeCommand } from '../../../lib/cli/commands/kustomize.ts'
import { tempDir } from '../../bed/temp-dir.ts'

const FILES = {
  'app/kustomization.yaml': 'resources: [../base, ns.yaml]\nnamePrefix: x-\n',
  'app/ns.yaml': 'apiVersion: v1\nkind: Namespace\nmetadata:\n  name: web\n',
  'base/kustomization.yaml': 'resources: [a.yaml]\n',
  'base/a.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n',
}
const CONFIG_MAP = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x-a\n'
const NAMESPACE = 'apiVersion: v1\nkind: Namespace\nmetadata:\n  name: web\n'

/** Runs the command in this process; what it prints. */
const keelson = async (...args: string[]): Promise<string> => {
  const output = new PassThrough()
  const errors = new PassThrough()
  await kustomizeCommand(output, errors).exitOverride().parseAsync(args, { from: 'user' })
  return String(output.read() ?? '')
}

test('prints the objects in the order of kubectl kustomize, or as they came', async () => {
  const dir = tempDir(FILES)
  assert.equal(await keelson(join(dir, 'app')), `${NAMESPACE}---\n${CONFIG_MAP}`)
  assert.equal(await keelson(join(dir, 'app'), '--reorder=none'), `${CONFIG_MAP}---\n${NAMESPACE}`)
})

test('takes every flag of kubectl kustomize, in the forms that Go takes', async () => {
  const dir = tempDir(FILES)
  const flags = [
    ...['--as-current-user', '--enable-alpha-plugins=false', '--enable-helm=true', '-e', 'A=b', '--env', 'C=d'],
    ...['--helm-api-versions', 'a/v1', '--helm-api-versions=b/v1', '--helm-command', 'helm', '--helm-debug=T'],
    ...['--helm-kube-version', '1.36', '--load-restrictor', 'LoadRestrictionsNone', '--mount', 'type=tmpfs'],
    ...['--network=0', '--network-name', 'bridge'],
  ]
  assert.equal(await keelson(join(dir, 'app'), ...flags), `${NAMESPACE}---\n${CONFIG_MAP}`)
})

test('writes to a file, or to one for each object', async () => {
  const dir = tempDir(FILES)
  assert.equal(await keelson(join(dir, 'app'), '-o', join(dir, 'all.yaml')), '')
  assert.equal(readFileSync(join(dir, 'all.yaml'), 'utf8'), `${NAMESPACE}---\n${CONFIG_MAP}`)
  await keelson(join(dir, 'app'), '-o', `${join(dir, 'each')}/`)
  assert.deepEqual(readdirSync(join(dir, 'each')).sort(), ['v1_configmap_x-a.yaml', 'v1_namespace_web.yaml'])
})

test('reports what a result depends on, and where objects came from', async () => {
  const dir = tempDir(FILES)
  const { files, objects } = JSON.parse(await keelson(join(dir, 'app'), '--inputs', '--reorder=none'))
  const inDir = (path: string): string => relative(dir, resolve(path))
  assert.deepEqual(
    files.map(({ path }: { path: string }) => inDir(path)),
    ['app/kustomization.yaml', 'app/ns.yaml', 'base/a.yaml', 'base/kustomization.yaml'],
  )
  assert.ok(files.every(({ digest }: { digest: string }) => /^sha256:[0-9a-f]{64}$/.test(digest)))
  assert.deepEqual(
    objects.map(({ file, overlay, ...id }: { file: string; overlay: string }) => [id, inDir(file), inDir(overlay)]),
    [
      [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'x-a' }, 'base/a.yaml', 'app'],
      [{ apiVersion: 'v1', kind: 'Namespace', name: 'web' }, 'app/ns.yaml', 'app'],
    ],
  )
})

const failure = async (...args: string[]): Promise<string> => {
  const error = await keelson(...args).then(
    () => assert.fail('was built'),
    (error: unknown) => error,
  )
  assert.ok(error instanceof CommandFailed, String(error))
  return error.message
}

test('reports file and field of a fault behind the words of kustomize', async () => {
  const dir = tempDir({ ...FILES, 'app/kustomization.yaml': 'resources: [ns.yaml]\nreplicas: [{name: b, count: 1}]\n' })
  assert.match(
    await failure(join(dir, 'app')),
    new RegExp(`^resource with name b does not match .* \\(file: ${dir}/app/kustomization.yaml, field: replicas\\)$`),
  )
})

test('stays in its own directory by default', async () => {
  const dir = tempDir({ ...FILES, 'app/kustomization.yaml': 'resources: [../base/a.yaml]\n' })
  assert.match(await failure(join(dir, 'app')), /security; file '.*\/base\/a\.yaml' is not in or below/)
  const all = await keelson(join(dir, 'app'), '--load-restrictor', 'LoadRestrictionsNone')
  assert.equal(all, CONFIG_MAP.replace('x-', ''))
})

test('explains that containers are not run only if one is requested', async () => {
  const annotation = 'config.kubernetes.io/function: "{container: {image: example.com/f}}"'
  const f = `apiVersion: x/v1\nkind: F\nmetadata:\n  name: f\n  annotations:\n    ${annotation}\n`
  const dir = tempDir({ 'kustomization.yaml': 'generators: [f.yaml]\n', 'f.yaml': f })
  assert.match(await failure(dir, '--network'), /external plugins disabled/)
  assert.match(
    await failure(dir, '--network', '--enable-alpha-plugins', '--enable-exec'),
    /is a container function; only functions with exec can be run here/,
  )
})

test('says how charts are rendered when they are not', async () => {
  const dir = tempDir({ 'kustomization.yaml': 'helmCharts: [{name: web, repo: https://charts.example}]\n' })
  assert.match(await failure(dir), /must specify --enable-helm \(file: .*, field: helmCharts\[0\]\)$/)
  assert.match(
    await failure(dir, '--enable-helm', '--helm-command', '/no/such/helm'),
    /unable to run: '\/no\/such\/helm version --short' with env=\[HELM_CONFIG_HOME=.*\] \(is '\/no\/such\/helm' installed\?\)/,
  )
})

test('fetches nothing from link-local addresses', async () => {
  for (const url of ['http://169.254.169.254/latest/meta-data', 'https://[fe80::1]/org/repo']) {
    const dir = tempDir({ 'kustomization.yaml': `resources: ['${url}']\n` })
    assert.match(await failure(dir), /link-local address: nothing is fetched from there/)
  }
})
