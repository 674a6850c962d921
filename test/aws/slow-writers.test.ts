import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type AwsClients, awsClients } from '../../lib/platform/adapters/aws/aws-clients.ts'
import { awsPlatform } from '../../lib/platform/adapters/aws/aws-platform.ts'
import { type ChangeEvent, type ObjectStore, StoreError } from '../../lib/platform/ports/objects.ts'
import { startAwsEmulator } from '../bed/aws/emulator.ts'
import { makeResources } from '../bed/aws/resources.ts'
import { everything, widget, widgets } from '../contracts/store-world.ts'
import { seededRandom } from '../e2e/seeded-random.ts'

const emulator = await startAwsEmulator()
const { endpoint, region, credentials } = emulator
const opened: AwsClients[] = []
after(async () => {
  for (const clients of opened) clients.close()
  await emulator[Symbol.asyncDispose]()
})

const open = (): AwsClients => {
  const clients = awsClients({ endpoint, region, credentials })
  opened.push(clients)
  return clients
}

/** A process that freezes now and then between taking a version and its commit, for longer than readers wait. */
const freezing = (fraction: () => number): AwsClients => {
  const clients = open()
  clients.dynamo.middlewareStack.add(
    (next, { commandName }) =>
      async args => {
        if (commandName === 'TransactWriteItemsCommand' && fraction() < 0.15) await sleep(fraction() * 900)
        return next(args)
      },
    { step: 'initialize' },
  )
  return clients
}

const changes = 30
const writers = 4
const watchers = 2
const last = 'zz-last'

test('shows all watchers the same changes in the same order, and listings that fit, while writers freeze', async () => {
  const resources = await makeResources(open())
  const objectsOf = (clients: AwsClients): ObjectStore => awsPlatform(resources, { clients }).objects
  const seed = Number(process.env.KEELSON_SEED ?? 7)
  const stop = new AbortController()

  const follow = async (): Promise<ChangeEvent[]> => {
    const seen: ChangeEvent[] = []
    for await (const event of objectsOf(open()).watch({ ...widgets, after: '0', signal: stop.signal })) {
      seen.push(event)
      if (event.object.ref.name === last) break
    }
    return seen
  }
  const following = Array.from({ length: watchers }, follow)

  const listings: { version: string; state: Map<string, string> }[] = []
  const listing = (async () => {
    const reader = objectsOf(open())
    while (!stop.signal.aborted) {
      const { items, version } = await everything(reader, { ...widgets, limit: 3 })
      listings.push({ version, state: new Map(items.map(({ ref, body }) => [ref.name, body])) })
      await sleep(50)
    }
  })()

  const write = async (writer: number): Promise<void> => {
    const { below } = seededRandom(seed + writer)
    const objects = objectsOf(freezing(() => below(1000) / 1000))
    for (let i = 0; i < changes; i++) {
      const ref = widget(`w${below(6)}`)
      const stored = await objects.get(ref)
      const body = `${writer}-${i}`
      const change = !stored
        ? ({ op: 'create', ref, body, refersTo: [] } as const)
        : below(5) === 0
          ? ({ op: 'delete', ref, expect: stored.version, body: stored.body } as const)
          : ({ op: 'update', ref, expect: stored.version, body, refersTo: [] } as const)
      await objects.commit(change).catch(error => {
        if (!(error instanceof StoreError)) throw error // another writer was quicker
      })
    }
  }
  await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)))
  await objectsOf(open()).commit({ op: 'create', ref: widget(last), body: '', refersTo: [] })
  const [seen, ...others] = await Promise.all(following)
  stop.abort()
  await listing

  for (const other of others) assert.deepEqual(other, seen)
  const state = new Map<string, string>()
  const states = new Map<string, Map<string, string>>([['0', new Map()]])
  let version = 0
  for (const { type, object, before } of seen!) {
    assert.ok(Number(object.version) > version, 'versions grow')
    version = Number(object.version)
    const { name } = object.ref
    assert.equal(before, state.get(name), `${type} of ${name} at ${object.version}`)
    if (type === 'deleted') state.delete(name)
    else state.set(name, object.body)
    states.set(object.version, new Map(state))
  }
  assert.ok(listings.length > 3, `${listings.length} listings`)
  for (const listed of listings) {
    const at = [...states.keys()].filter(known => Number(known) <= Number(listed.version)).at(-1)!
    assert.deepEqual(listed.state, states.get(at), `the listing at version ${listed.version}`)
  }
})
