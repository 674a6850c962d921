/** Watches of a real API server and of the hub, while the same things happen on both: the same events, in the same order. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cluster } from '../bed/cluster.ts'
import type { Ask } from './answers.ts'
import { asking, differences, normalised } from './answers.ts'
import { apply, merge, table } from './exchange.ts'
import { servedHub } from './served-hub.ts'

const configMaps = '/api/v1/namespaces/watched/configmaps'
const partial = { accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1' }

/** What is watched, from the version at which everything begins. */
const watches = (
  version: string,
): readonly (readonly [title: string, query: string, headers?: Readonly<Record<string, string>>])[] => [
  ['all', `resourceVersion=${version}`],
  ['from the beginning', ''],
  ['any version', 'resourceVersion=0'],
  ['by label', `resourceVersion=${version}&labelSelector=team%3Dred`],
  ['by what is not', `resourceVersion=${version}&labelSelector=!team`],
  ['one by name', `resourceVersion=${version}&fieldSelector=metadata.name%3Da`],
  ['with initial events', 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true'],
  [
    'initial events by label',
    'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&labelSelector=team%3Dred',
  ],
  ['without initial events', `sendInitialEvents=false&resourceVersionMatch=NotOlderThan&resourceVersion=${version}`],
  ['as a table', `resourceVersion=${version}`, table],
  ['metadata only', `resourceVersion=${version}`, partial],
]

/** In this order, one after the other. */
const happenings: readonly Parameters<Ask>[0][] = [
  { method: 'POST', path: configMaps, body: { metadata: { name: 'a' }, data: { k: '1' } } },
  { method: 'PATCH', path: `${configMaps}/a`, body: { metadata: { labels: { team: 'red' } } }, headers: merge },
  { method: 'PATCH', path: `${configMaps}/a`, body: { data: { k: '2' } }, headers: merge },
  { method: 'PATCH', path: `${configMaps}/a`, body: { data: { k: '2' } }, headers: merge },
  { method: 'PATCH', path: `${configMaps}/a`, body: { metadata: { labels: { team: 'blue' } } }, headers: merge },
  {
    method: 'PATCH',
    path: `${configMaps}/b?fieldManager=x`,
    body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'b', labels: { team: 'red' } } },
    headers: apply,
  },
  {
    method: 'PATCH',
    path: `${configMaps}/b`,
    body: { metadata: { finalizers: ['example.com/hold'] } },
    headers: merge,
  },
  { method: 'DELETE', path: `${configMaps}/b` },
  { method: 'PATCH', path: `${configMaps}/b`, body: { metadata: { finalizers: null } }, headers: merge },
  { method: 'DELETE', path: `${configMaps}/a` },
  { method: 'DELETE', path: `${configMaps}/first` },
]

/** What every watch of a server saw, while all that happened. A watch ends by itself after so many seconds. */
const seenBy = async (ask: Ask, seconds = 6): Promise<readonly unknown[]> => {
  await ask({ method: 'POST', path: configMaps, body: { metadata: { name: 'first', labels: { team: 'red' } } } })
  const { body } = await ask({ method: 'GET', path: configMaps })
  const { resourceVersion } = (body as { metadata: { resourceVersion: string } }).metadata
  const asked = performance.now()
  const begun = watches(resourceVersion).map(() => Promise.withResolvers<void>())
  const open = watches(resourceVersion).map(([, query, headers], at) =>
    ask({
      method: 'GET',
      path: `${configMaps}?watch=1&timeoutSeconds=${seconds}&${query}`,
      ...(headers && { headers }),
      begun: begun[at]!.resolve,
    }),
  )
  await Promise.race([Promise.all(begun.map(({ promise }) => promise)), Promise.all(open)])
  for (const happening of happenings) await ask(happening)
  const hadTime = performance.now() - asked < (seconds - 1) * 1000
  const answers = await Promise.all(open)
  // On a busy machine the first watches may have ended before the last thing happened.
  if (!hadTime) return seenBy(ask, 2 * seconds)
  return answers.map(({ body }) => eventsOf(typeof body === 'string' ? body : JSON.stringify(body)))
}

/** Bookmarks come when the server has time for them; the first, which ends the initial events, is part of the protocol. */
const eventsOf = (text: string): unknown =>
  text
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line) as { type: string; object: { metadata: { annotations?: object } } })
    .filter(({ type, object }) => type !== 'BOOKMARK' || object.metadata.annotations)
    .map(event => normalised(event))
    .filter(event => !/kube-root-ca/.test(JSON.stringify(event)))
    .map(withoutDescriptions)

const withoutDescriptions = (event: unknown): unknown =>
  JSON.parse(JSON.stringify(event, (key, value) => (key === 'description' ? undefined : value)))

test(`reports ${watches('').length} watches the same as a real API server`, async () => {
  const real = await cluster()
  const [theirs, ours] = [asking(real.kubeconfig), asking((await servedHub()).kubeconfig)]
  const namespace = { method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: 'watched' } } }
  for (const { ask } of [theirs, ours]) await ask(namespace)
  const [their, our] = await Promise.all([seenBy(theirs.ask), seenBy(ours.ask)])
  await Promise.all([theirs.close(), ours.close()])
  const found = watches('').flatMap(([title], index) =>
    differences(their[index], our[index]).map(difference => `${title}: ${difference}`),
  )
  assert.deepEqual(found, [])
  assert.ok(JSON.stringify(their).length > 5000, 'nothing was seen')
})
