/** The examples of docs/examples, followed as their pages say: every command, with one hub that a reader has started. */
import assert from 'node:assert/strict'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { cluster } from '../bed/cluster.ts'
import { helmBinary } from '../bed/helm-binary.ts'
import { registryServer } from '../bed/registry-server.ts'
import { builtSigners, needsSigners } from '../bed/signers-binary.ts'
import { builtSops, needsSops } from '../bed/sops-binary.ts'
import { endWithTest } from '../bed/teardown.ts'
import { follow, replaceAll } from '../docs/follow.ts'
import { blocksOf } from '../docs/page.ts'
import { reader } from '../docs/reader.ts'
import { chartServer } from './chart-server.ts'

const programs = {
  ...builtSops(),
  helm: await helmBinary(),
  ...(builtSigners() && { cosign: `${builtSigners()} cosign` }),
}
const [target, second] = await Promise.all([cluster({ name: 'target' }), cluster({ name: 'second' })])
const { shell, clone } = await reader({
  files: { '.kube/config': target.kubeconfig, '.kube/second-config': second.kubeconfig },
  programs: Object.fromEntries(Object.entries(programs).map(([name, path]) => [name, `exec ${path} "$@"`])),
})

await follow(blocksOf('docs/examples/README.md'), shell)

/** Public addresses in the example's files, too, are replaced by those of local servers. */
const example = async (name: string, addresses: Readonly<Record<string, string>> = {}): Promise<void> => {
  await shell.run(`cd ${clone}`)
  for (const file of globSync(`docs/examples/${name}/**/*.yaml`, { cwd: clone })) {
    const path = join(clone, file)
    writeFileSync(path, replaceAll(readFileSync(path, 'utf8'), addresses))
  }
  await follow(blocksOf(`docs/examples/${name}/README.md`), shell, { addresses })
}

test('one application follows its repository, is mended, and goes with its Kustomization', () => example('single-app'))

test('a monorepo brings its environments one after the other, with the variables of each', () => example('monorepo'))

test('one ResourceSet serves a fleet: clusters join and leave by their Secrets', () => example('fleet'))

test('charts are followed by version, and rendered ones applied like any manifest', async () =>
  example('helm-charts', { 'https://stefanprodan.github.io/podinfo': await chartServer() }))

test('a chart is installed, upgraded, set right and uninstalled, and helm sees it', async () =>
  example('helm-releases', { 'https://stefanprodan.github.io/podinfo': await chartServer() }))

test('Secrets are encrypted in git, and are decrypted by the hub alone', needsSops(), () => example('sops-age'))

test('manifests of a registry are applied when cosign signed them, and only then', needsSigners(), async () =>
  example('oci-cosign', { '127.0.0.1:5000': endWithTest(await registryServer()).host }),
)

test('tenants do what their accounts may do, and reach nobody else', () => example('tenants'))

test('every example is followed here', async () => {
  const folders = (await readdir(join(clone, 'docs/examples'), { withFileTypes: true })).filter(it => it.isDirectory())
  const here = readFileSync(import.meta.filename, 'utf8')
  const forgotten = folders.map(({ name }) => name).filter(name => !here.includes(`example('${name}'`))
  assert.deepEqual(forgotten, [])
})
