import assert from 'node:assert/strict'
import { test } from 'node:test'
import { followProgress } from '../../../lib/cli/progress.ts'
import type { Terminal } from '../../../lib/cli/terminal.ts'
import type { Hub, HubEvent } from '../../../lib/hub/store/hub.ts'

const kustomization = (name: string, status: 'True' | 'Unknown', message: string) => ({
  apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
  kind: 'Kustomization',
  metadata: { name, namespace: 'apps', generation: 1 },
  status: { observedGeneration: 1, conditions: [{ type: 'Ready', status, reason: 'Test', message }] },
})

/** A hub in which Kustomizations change as the test says, and what is printed. */
const following = async () => {
  const lines: string[] = []
  const writes: string[][] = []
  let isTogether = false
  const say = (symbol: string) => (message: string) => {
    lines.push(`${symbol} ${message}`)
    if (!isTogether) writes.push([])
    writes.at(-1)!.push(message)
  }
  const terminal: Terminal = {
    action: say('►'),
    waiting: say('◎'),
    success: say('✔'),
    failure: say('✗'),
    print: say(''),
    together: print => {
      isTogether = true
      writes.push([])
      print()
      isTogether = false
    },
  }
  let tell: (event: HubEvent) => void = () => {}
  const stop = new AbortController()
  const hub = {
    async *pages() {
      yield { items: [], resourceVersion: '1' }
    },
    async *watch({ kind, signal }: { readonly kind: string; readonly signal: AbortSignal }) {
      while (kind === 'Kustomization' && !signal.aborted)
        yield await new Promise<HubEvent>(resolve => {
          tell = resolve
        })
    },
  } as unknown as Hub
  const progress = await followProgress(hub, terminal, stop.signal)
  const change = async (object: ReturnType<typeof kustomization>) => {
    tell({ type: 'MODIFIED', object } as unknown as HubEvent)
    await new Promise(setImmediate)
  }
  return { progress, change, lines, writes, stop: () => stop.abort() }
}

test('prints the last states of objects, not those that last for milliseconds', async t => {
  // The milliseconds of this test: those of a busy machine are longer.
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { change, lines, stop } = await following()
  await change(kustomization('web', 'Unknown', 'Building manifests'))
  await change(kustomization('web', 'True', 'Applied revision: main'))
  assert.deepEqual(lines, [])
  stop()
  assert.deepEqual(lines, ['✔ Kustomization/apps/web  Applied revision: main'])
})

test('prints what changes at a time together, and all of it before anybody learns that it is settled', async () => {
  const { progress, change, lines, writes, stop } = await following()
  await change(kustomization('web', 'Unknown', 'Building manifests'))
  await change(kustomization('api', 'True', 'Applied revision: main'))
  const settled = progress.settled(new AbortController().signal)
  await change(kustomization('web', 'True', 'Applied revision: main'))
  assert.equal(await settled, 'ready')
  assert.equal(lines.length, 2)
  assert.equal(writes.filter(written => written.length > 0).length, 1)
  stop()
  assert.equal(lines.length, 2)
})
