/** A hub that is taken over: what its orders can do at a runner that demands signatures. Real hub, runner, cluster and git. */
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import type { Kustomization } from '../../lib/foundations/kinds/kustomization.ts'
import { conditionOf } from '../../lib/foundations/rules/conditions.ts'
import { cluster } from '../bed/cluster.ts'
import { command } from '../bed/command.ts'
import { eventually } from '../bed/eventually.ts'
import { fleetRepository, fleetUnit } from '../bed/fleet-objects.ts'
import { gitRepo } from '../bed/git-repo.ts'
import { hub } from '../bed/hub.ts'
import { program } from '../bed/keelson-program.ts'
import { joinToken, runner } from '../bed/runner.ts'
import { endWithTest } from '../bed/teardown.ts'
import { disposableDir } from '../bed/temp-dir.ts'

const config = (color: string): string => `apiVersion: v1
kind: ConfigMap
metadata: {name: a, namespace: default}
data: {color: ${color}}
`

test('a runner that demands signatures applies what its author has signed, and neither an older revision nor what a hub adds', async () => {
  const root = endWithTest(disposableDir())
  const [keyFile, publicFile] = [join(root.path, 'author.key'), join(root.path, 'author.pub')]
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  writeFileSync(keyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }))
  writeFileSync(publicFile, publicKey.export({ type: 'spki', format: 'pem' }))
  /** The files of a source with their signature. */
  const signed = async (files: Readonly<Record<string, string>>): Promise<Record<string, string>> => {
    const folder = disposableDir()
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(folder.path, path)), { recursive: true })
      writeFileSync(join(folder.path, path), content)
    }
    await command(process.execPath, [program, 'sign', folder.path, '--name', 'fleet', '--key', keyFile])
    const read = (name: string) => readFileSync(join(folder.path, name), 'utf8')
    const all = { ...files, SHA256SUMS: read('SHA256SUMS'), 'SHA256SUMS.sig': read('SHA256SUMS.sig') }
    await folder[Symbol.asyncDispose]()
    return all
  }
  const [target, repo, on] = await Promise.all([cluster(), gitRepo({ 'a.yaml': config('unsigned') }), hub()])
  const joining = await joinToken(on, 'aurora')
  await on.apply(fleetRepository(repo) + fleetUnit('aurora').replace('secretRef', 'configMapRef'))
  const flags = ['--verify-key', publicFile, '--log-level', 'info']
  const it = runner(on, target, { cluster: 'default/aurora', joinToken: joining, flags })
  let requests = 0
  const fetched = () =>
    on.kubectl('annotate', '--overwrite', 'gitrepository', 'fleet', `reconcile.fluxcd.io/requestedAt=${++requests}`)
  const says = (status: string, message: RegExp) =>
    eventually(async () => {
      const found = await on.get<Kustomization>('kustomization', 'app')
      const ready = conditionOf(found.status?.conditions, 'Ready')
      assert.equal(ready?.status, status, ready?.message)
      assert.match(ready.message, message)
    })
  const colors = async (): Promise<readonly string[]> => {
    const { items } = await target.get<{ items: readonly { data: Record<string, string> }[] }>(
      ...['configmap', '--field-selector', 'metadata.name=a'],
    )
    return items.map(({ data }) => data.color!)
  }
  try {
    await says('False', /the source has no SHA256SUMS/)
    assert.deepEqual(await colors(), [])

    const blue = await signed({ 'a.yaml': config('blue') })
    await repo.push(blue)
    await fetched()
    await says('True', /^Applied revision/)
    assert.deepEqual(await colors(), ['blue'])

    const green = await signed({ 'a.yaml': config('green') })
    await repo.push(green)
    await fetched()
    await eventually(async () => assert.deepEqual(await colors(), ['green']))

    await repo.push(blue)
    await fetched()
    await says('False', /artifact/i)
    assert.deepEqual(await colors(), ['green'])
    await repo.push({ ...green, 'a.yaml': config('forged') })
    await fetched()
    await says('False', /another a\.yaml than SHA256SUMS lists/)
    await repo.push(green)
    await fetched()
    await says('True', /^Applied revision/)

    const patch = { patch: '[{op: replace, path: /data/color, value: forged}]', target: { kind: 'ConfigMap' } }
    await on.kubectl(
      'patch',
      'kustomization',
      'app',
      '--type=merge',
      '-p',
      JSON.stringify({ spec: { patches: [patch] } }),
    )
    await says('False', /the runner demands signatures, and spec\.patches can't be signed/)
    assert.deepEqual(await colors(), ['green'])
  } catch (error) {
    throw Object.assign(error as Error, { message: `${(error as Error).message}\nthe runner said:\n${it.said()}` })
  }
})
