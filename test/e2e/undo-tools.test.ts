/** The tool for agents that undoes: off unless writes are allowed, by the name of a run that it has read, as the caller. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import type { KubernetesObject } from '../../lib/foundations/kinds/object.ts'
import type { Run } from '../../lib/foundations/kinds/run.ts'
import { eventually } from '../bed/eventually.ts'
import { appRepository } from '../bed/fleet-objects.ts'
import { gitRepo } from '../bed/git-repo.ts'
import { hub } from '../bed/hub.ts'
import { program } from '../bed/keelson-program.ts'

const configMap = (value: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: default}\ndata: {value: "${value}"}\n`

const unit = `
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: app, namespace: default}
spec: {interval: 1h, prune: true, path: ./app, sourceRef: {kind: GitRepository, name: app}}
`

test('MC-03 an agent that may write returns a unit to a run that it names, with a reason, and resumes it; others have no such tool', async () => {
  const [repo, on] = await Promise.all([gitRepo({ 'app/a.yaml': configMap('1') }), hub()])
  await on.apply(appRepository(repo) + unit)
  const has = (value: string) =>
    eventually(async () => {
      const { data } = await on.get<KubernetesObject & { readonly data: { readonly value: string } }>('configmap', 'a')
      assert.equal(data.value, value)
    })
  await has('1')
  await repo.push({ 'app/a.yaml': configMap('2') })
  await on.kubectl('annotate', 'gitrepository/app', '--overwrite', `reconcile.fluxcd.io/requestedAt=${Date.now()}`)
  await has('2')
  const runs = await eventually(async () => {
    const { items } = await on.get<{ items: readonly Run[] }>('runs')
    return items.length === 2 ? items : null
  })
  const [second, first] = runs.map(({ metadata }) => metadata.name)

  const connected = async (...flags: readonly string[]) => {
    const client = new Client({ name: 'test', version: '1' })
    const args = [program, 'mcp', '--kubeconfig', on.kubeconfig, ...flags]
    await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'pipe' }))
    return client
  }
  const reader = await connected()
  const { tools } = await reader.listTools()
  assert.ok(!tools.some(({ name }) => name === 'undo'))
  await reader.close()

  const writer = await connected('--allow-writes')
  const call = async (name: string, more: object) =>
    JSON.stringify(
      (
        await writer.callTool({
          name,
          arguments: { kind: 'Kustomization', namespace: 'default', name: 'app', ...more },
        })
      ).content,
    )
  const reason = 'errors since the last push'
  assert.match(await call('undo', { run: 'missing', reason }), /The hub refused \(404\)|not found/)
  const of = await call('undo', { run: second, reason, name: 'other' })
  assert.match(of, /not found/)
  assert.match(await call('undo', { run: first, reason }), /Kustomization\/default\/app returns to that run/)
  await has('1')
  assert.match(
    await call('why', {}),
    /kubernetes-admin has undone it \(errors since the last push\): revision main@sha1:/,
  )
  const listed = await writer.callTool({ name: 'list_units', arguments: { undone: true } })
  assert.equal((listed.structuredContent as { readonly total: number }).total, 1)
  const events = await on.kubectl('get', 'events', '--field-selector', 'reason=UndoRequested', '-o', 'name')
  assert.notEqual(events, '', 'an Event says who has undone it')
  assert.match(await call('resume', {}), /Resumed Kustomization\/default\/app/)
  await has('2')
  await writer.close()
})
