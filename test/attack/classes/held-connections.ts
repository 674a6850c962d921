import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '../../bed/eventually.ts'
import type { ApiClient, OpenAnswer } from '../api-client.ts'
import type { Attempt } from '../attack.ts'
import type { AttackWorld } from '../world.ts'
import { mapOf, maps, underLoad } from './under-load.ts'

/** Watches, answers that nobody reads, and connections that say nothing, more than a tenant's share of each. */

const watches = `${maps}?watch=1`

const openMany = async (client: ApiClient, path: string, count: number): Promise<readonly OpenAnswer[]> => {
  const answers: OpenAnswer[] = []
  const opening = async () => {
    while (answers.length < count) answers.push(await client.open(path))
  }
  await Promise.all(Array.from({ length: 20 }, opening))
  return answers
}

const statusOf = async ({ stream }: OpenAnswer): Promise<{ readonly reason?: string; readonly code?: number }> => {
  let text = ''
  for await (const part of stream) text += part
  return JSON.parse(text) as { reason?: string; code?: number }
}

const withBigMaps = async (world: AttackWorld, count: number, work: () => Promise<void>): Promise<void> => {
  const names = Array.from({ length: count }, () => world.freshName())
  try {
    for (const [at, name] of names.entries()) {
      const { status } = await world.mallory.request(
        'POST',
        maps,
        mapOf(name, { text: String(at % 10).repeat(900_000) }),
      )
      assert.equal(status, 201)
    }
    await work()
  } finally {
    for (const name of names) await world.mallory.request('DELETE', `${maps}/${name}`)
  }
}

// ---- watches ----

/** More than a tenant may have by default. */
const tooManyWatches = 560

const watchPaths: Readonly<Record<string, string>> = {
  'of ConfigMaps': watches,
  'of one object': `${maps}?watch=1&fieldSelector=metadata.name%3Dnone`,
  'of a kind of Flux': '/apis/source.toolkit.fluxcd.io/v1/namespaces/mallory/gitrepositories?watch=true',
  'with bookmarks': `${watches}&allowWatchBookmarks=true&timeoutSeconds=3600`,
}

/** A watch that the hub has ended meanwhile, as that of a client that does not read, makes room for another. */
const assertFewOpen = (begun: readonly OpenAnswer[]): void => {
  const open = begun.filter(answer => answer.isOpen()).length
  assert.ok(begun.length > 0 && open <= 500, `${open} watches are open, ${begun.length} were begun`)
}

const manyWatches: readonly Attempt[] = Object.entries(watchPaths).map(([what, path]) => ({
  isHeavy: true,
  title: `watches ${what}: so many of one tenant are open, the next gets 429 with Retry-After`,
  run: world =>
    underLoad(world, async () => {
      const answers = await openMany(world.mallory, path, tooManyWatches)
      try {
        const begun = answers.filter(({ status }) => status === 200)
        const refused = answers.filter(({ status }) => status === 429)
        assert.equal(begun.length + refused.length, answers.length)
        assertFewOpen(begun)
        // None is refused while the hub ends watches as fast as they are begun.
        if (refused.length > 0) {
          assert.equal(refused[0]!.headers['retry-after'], '1')
          const { reason, code } = await statusOf(refused[0]!)
          assert.deepEqual([reason, code], ['TooManyRequests', 429])
        }
        const other = await world.admin.open('/api/v1/namespaces/victim/configmaps?watch=1')
        other.close()
        assert.equal(other.status, 200, 'others may watch')
      } finally {
        for (const answer of answers) answer.close()
      }
      // Who closes watches may open others.
      await eventually(async () => {
        const again = await world.mallory.open(path)
        again.close()
        assert.equal(again.status, 200)
      })
    }),
}))

const accountsOfOneTenant: Attempt = {
  isHeavy: true,
  title: 'more ServiceAccounts in a namespace give no more watches',
  run: async world => {
    const accounts = Array.from({ length: 4 }, () => world.freshName())
    const clients = await Promise.all(
      accounts.map(async name => {
        const made = await world.mallory.request('POST', '/api/v1/namespaces/mallory/serviceaccounts', {
          metadata: { name },
        })
        assert.equal(made.status, 201)
        const bound = await world.mallory.request(
          'POST',
          '/apis/rbac.authorization.k8s.io/v1/namespaces/mallory/rolebindings',
          {
            metadata: { name },
            roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
            subjects: [{ kind: 'ServiceAccount', name, namespace: 'mallory' }],
          },
        )
        assert.equal(bound.status, 201, JSON.stringify(bound.body))
        const path = `/api/v1/namespaces/mallory/serviceaccounts/${name}/token`
        const { body } = await world.mallory.request('POST', path, { spec: {} })
        return world.mallory.withToken((body as { status: { token: string } }).status.token)
      }),
    )
    const answers = (await Promise.all(clients.map(client => openMany(client, watches, 150)))).flat()
    try {
      assertFewOpen(answers.filter(({ status }) => status === 200))
    } finally {
      for (const answer of answers) answer.close()
    }
  },
}

// ---- clients that read nothing ----

const unread: Readonly<Record<string, string>> = {
  'a watch and its first events': watches,
  'a watch with initial events': `${watches}&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan`,
  'a list': maps,
  'a list with a limit': `${maps}?limit=500`,
  'a list of many with a limit': `${maps}?limit=5000`,
  'one large object': `${maps}/BIG`,
}

const silentClients: readonly Attempt[] = Object.entries(unread).map(([what, path]) => ({
  isHeavy: true,
  title: `clients that request ${what} and read nothing are bounded in number and memory`,
  run: world =>
    underLoad(world, () =>
      withBigMaps(world, 12, async () => {
        const list = await world.admin.request('GET', `${maps}?limit=1`)
        const { items } = list.body as { items: readonly { metadata: { name: string } }[] }
        const clients = Array.from({ length: 300 }, () =>
          world.mallory.open(path.replace('BIG', items[0]!.metadata.name)).catch(() => undefined),
        )
        await sleep(3_000)
        for (const client of clients) void client.then(answer => answer?.close())
        // What waits for a seat is let go, too, when its client goes.
        await sleep(100)
        world.mallory.request('GET', `${maps}?limit=1`).catch(() => {})
      }),
    ),
}))

const slowWatchers: Attempt = {
  isHeavy: true,
  title: 'watches that stop reading while 20 large objects are written hold no more than a bound',
  run: world =>
    underLoad(world, async () => {
      const answers = await openMany(world.mallory, watches, 300)
      try {
        await withBigMaps(world, 20, () => sleep(1_000))
      } finally {
        for (const answer of answers) answer.close()
      }
    }),
}

// ---- connections that say nothing, or little ----

const quietConnections: Readonly<Record<string, string>> = {
  'say nothing': '',
  'begin a handshake and stop': '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  'speak plain HTTP': 'GET / HTTP/1.1\r\nHost: hub\r\n\r\n',
  'send noise': '\xff'.repeat(1000),
}

const slowConnections: readonly Attempt[] = Object.entries(quietConnections).map(([what, bytes]) => ({
  isHeavy: true,
  title: `300 connections that ${what} keep nobody waiting, and are closed`,
  run: world =>
    underLoad(world, async () => {
      const { hostname, port } = new URL(world.hub.server)
      const sockets = Array.from({ length: 300 }, () => connect(Number(port), hostname))
      for (const socket of sockets) socket.on('error', () => {})
      await Promise.all(sockets.map(socket => once(socket, 'connect')))
      for (const socket of sockets) socket.write(Buffer.from(bytes, 'latin1'))
      const closed = Promise.all(sockets.map(socket => new Promise(resolve => socket.resume().once('close', resolve))))
      const isClosed = await Promise.race([closed.then(() => true), sleep(30_000, false)])
      for (const socket of sockets) socket.destroy()
      assert.ok(isClosed, 'some are open after 30 s')
    }),
}))

export const heldConnections: readonly Attempt[] = [
  ...manyWatches,
  accountsOfOneTenant,
  ...silentClients,
  slowWatchers,
  ...slowConnections,
]
