/** What calls of webhooks leave on record, and what it takes to repeat one. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deliveryAnnotation } from '../../../../lib/foundations/kinds/delivery-mark.ts'
import { requestedAtAnnotation } from '../../../../lib/foundations/kinds/flux.ts'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import { quotas } from '../../../../lib/signals/webhook/delivery-quota.ts'
import { appRef, author, receiverRef, repository, signed, token, within } from './receiver-scene.ts'
import { githubPush } from './sent-by-forges.ts'

const body = JSON.stringify(githubPush)
const ofGithub = (text = body, more: Record<string, string> = {}) => ({
  'User-Agent': 'GitHub-Hookshot/044aadd',
  'Content-Type': 'application/json',
  'X-GitHub-Event': 'push',
  'X-GitHub-Delivery': '72d3162e-cc78-11e3-81ab-4c9367dc0958',
  'X-Hub-Signature-256': signed(text),
  ...more,
})
const pushed = repository('app', { url: 'https://github.com/team/app', ref: { branch: 'main' } })
const scene = { repositories: [pushed] }

test('a push is on record: who sent it, what it proved, what it set off', () =>
  within(
    {},
    async ({ send, deliveries }) => {
      assert.equal(await send({ headers: ofGithub(), body, remote: '140.82.115.7' }), '200 app')
      const [found, ...others] = await deliveries()
      assert.equal(others.length, 0)
      const { metadata, headers, startedAt, durationMs, ...content } = found!
      assert.match(metadata.name, /^hook-[0-9a-z]{13}$/)
      assert.equal(new Date(startedAt).toISOString(), startedAt)
      assert.equal(typeof durationMs, 'number')
      assert.deepEqual(content, {
        ...{ apiVersion: 'fleet.keelson.dev/v1alpha1', kind: 'Delivery' },
        receiver: { name: 'hook', type: 'github' },
        ...{ event: 'push', id: '72d3162e-cc78-11e3-81ab-4c9367dc0958', sender: 'ada', remoteAddress: '140.82.115.7' },
        bodyBytes: Buffer.byteLength(body),
        verification: { verified: true, method: 'Signature' },
        ...{ result: 'Triggered', status: 200, message: 'ok: requested 1 to reconcile' },
        push: {
          repositories: ['github.com/team/app'],
          versions: [{ name: 'refs/heads/main', content: githubPush.after }],
        },
        objects: [
          { apiVersion: 'source.toolkit.fluxcd.io/v1', kind: 'GitRepository', namespace: 'default', name: 'app' },
        ],
      })
      assert.deepEqual(Object.fromEntries(headers.map(({ name, value }) => [name, value])), {
        'content-type': 'application/json',
        'user-agent': 'GitHub-Hookshot/044aadd',
        'x-github-delivery': '72d3162e-cc78-11e3-81ab-4c9367dc0958',
        'x-github-event': 'push',
        'x-hub-signature-256': '***',
      })
    },
    scene,
  ))

test('refused, repeated, ignored and test calls are on record with their reason', () =>
  within(
    { events: ['push', 'ping'] },
    async ({ send, deliveries, hub }) => {
      await send({ headers: ofGithub(body, { 'X-Hub-Signature-256': signed(body, 'sha256', 'guess') }), body })
      await send({ headers: ofGithub(), body })
      await send({ headers: ofGithub(), body })
      await send({ headers: ofGithub(body, { 'X-GitHub-Event': 'issues' }), body })
      await send({ headers: ofGithub(body, { 'X-GitHub-Event': 'ping' }), body })
      await hub.patch(receiverRef, { type: 'merge', patch: { spec: { suspend: true } } }, author)
      await send({ headers: ofGithub(), body })
      const found = (await deliveries()).toReversed()
      // All arrived in the same millisecond of a clock that stands still.
      assert.deepEqual(found.map(({ result, status }) => `${result} ${status}`).sort(), [
        'Duplicate 200',
        'Ignored 400',
        'Ping 200',
        'Refused 400',
        'Triggered 200',
        'Unavailable 503',
      ])
      const refused = found.find(({ result }) => result === 'Refused')!
      assert.deepEqual([refused.verification.verified, refused.objects, refused.sender], [false, undefined, undefined])
      assert.match(refused.verification.message ?? '', /signature/)
      const ignored = found.find(({ result }) => result === 'Ignored')!
      assert.match(ignored.message, /the event 'issues' is not in spec.events/)
    },
    scene,
  ))

test('no secret is ever shown or stored in the clear: in headers, body, names of events, or the path', async () => {
  const planted = {
    Authorization: 'Bearer planted-authorization',
    Cookie: 'session=planted-cookie',
    'X-Api-Key': 'planted-key',
    'X-Gitlab-Token': 'planted-gitlab-token',
    'X-Custom': 'planted-custom',
    Referer: 'https://hub.example.com/hook/planted-referer',
    // The Receiver's own token, in headers that are shown.
    'User-Agent': `agent ${token} ${Buffer.from(token).toString('base64')}`,
    'X-GitHub-Event': `push ${token}`,
    'X-Request-Id': token,
  }
  const text = JSON.stringify({ ...githubPush, note: 'planted-body', sender: { login: `ada ${token}` } })
  await within(
    { resourceFilter: "req.note == 'planted-body'" },
    async ({ send, deliveries, path, platform, redeliver, hub }) => {
      const headers = { ...ofGithub(text), ...planted, 'X-Forwarded-For': '203.0.113.9' }
      assert.equal(await send({ headers, body: text }), '200 app')
      await send({ headers: { ...headers, 'X-Hub-Signature-256': 'sha256=00' }, body: text })
      const found = await deliveries()
      const again = await redeliver(found.find(({ result }) => result === 'Triggered')!.metadata.name, 'jane')
      const shown = JSON.stringify([...found, again])
      const signature = signed(text).slice('sha256='.length)
      for (const secret of [
        ...Object.values(planted).flatMap(value => value.match(/planted-[\w-]+/g) ?? []),
        'planted-body',
        token,
        path,
        signature,
      ])
        assert.ok(!shown.includes(secret), `${secret} is shown: ${shown}`)
      assert.ok(shown.includes('203.0.113.9'))
      // What is stored is sealed: neither the content nor the payload can be read there.
      const { uid = '' } = (await hub.get<KubernetesObject>(receiverRef))!.metadata
      const records = await platform.deliveries.page({ receiver: uid, limit: 10 })
      const payloads = await Promise.all(records.map(platform.deliveries.payload))
      assert.equal(payloads.filter(payload => payload !== undefined).length, 2)
      for (const stored of [...records.map(({ body }) => body), ...payloads.filter(payload => payload !== undefined)])
        for (const word of ['github', 'team/app', 'refs/heads', token])
          assert.ok(!Buffer.from(stored).includes(word), word)
    },
    scene,
  )
})

test('a flood of refused calls leaves a bounded number of records, and takes nothing from the verified ones', () =>
  within(
    {},
    async ({ send, deliveries, clock }) => {
      for (let i = 0; i < quotas.refused.burst + 50; i++) {
        await clock.advance(1)
        assert.equal(await send({ headers: { 'X-Hub-Signature-256': 'sha256=00' }, body }), '400')
      }
      assert.equal((await deliveries()).length, quotas.refused.burst)
      await clock.advance(1)
      assert.equal(await send({ headers: ofGithub(), body }), '200 app')
      const [newest] = await deliveries()
      assert.equal(newest?.result, 'Triggered')
      // The quota fills up with time.
      await clock.advance(60 * 60_000)
      await send({ headers: { 'X-Hub-Signature-256': 'sha256=00' }, body })
      assert.equal((await deliveries()).length, quotas.refused.burst + 2)
      await clock.advance(7 * 24 * 60 * 60_000)
      assert.deepEqual(await deliveries(), [])
    },
    scene,
  ))

test('a redelivery does what the delivery did, under the rules of now, and is marked', () =>
  within(
    { events: ['push'] },
    async ({ send, deliveries, redeliver, hub, clock }) => {
      await send({ headers: ofGithub(), body })
      await send({ headers: { ...ofGithub(), 'X-Hub-Signature-256': 'sha256=00' }, body })
      const found = await deliveries()
      const [first, refused] = ['Triggered', 'Refused'].map(wanted => found.find(({ result }) => result === wanted)!)
      const requestOf = async () => (await hub.get<KubernetesObject>(appRef))!.metadata.annotations ?? {}
      const before = await requestOf()
      await clock.advance(1000)
      const again = await redeliver(first!.metadata.name, 'jane')
      const after = await requestOf()
      assert.notEqual(after[requestedAtAnnotation], before[requestedAtAnnotation])
      assert.equal(after['keelson.dev/requested-by'], 'Receiver default/hook for jane (redelivery)')
      assert.equal(JSON.parse(after[deliveryAnnotation]!).name, again.metadata.name)
      assert.equal(JSON.parse(after['keelson.dev/announced']!).to, githubPush.after)
      const { redelivers, redeliveredBy, result, objects, headers } = again
      assert.deepEqual([redelivers, redeliveredBy, result], [first!.metadata.name, 'jane', 'Triggered'])
      assert.deepEqual([objects, headers], [first!.objects, first!.headers])

      await assert.rejects(redeliver(refused!.metadata.name, 'jane'), /its sender was not verified/)
      await hub.patch(receiverRef, { type: 'merge', patch: { spec: { events: ['ping'] } } }, author)
      await assert.rejects(redeliver(first!.metadata.name, 'jane'), /the event 'push' is not in spec.events/)
      await hub.patch(receiverRef, { type: 'merge', patch: { spec: { events: ['push'], suspend: true } } }, author)
      await assert.rejects(redeliver(first!.metadata.name, 'jane'), /default\/hook is suspended or not ready/)
    },
    scene,
  ))

test('filters judge a redelivery by the payload, which is kept for a day', () =>
  within(
    { resourceFilter: "req.ref == 'refs/heads/main'" },
    async ({ send, deliveries, redeliver, hub, clock, settle }) => {
      await send({ headers: ofGithub(), body })
      const name = (await deliveries())[0]!.metadata.name
      await clock.advance(1000)
      assert.equal((await redeliver(name, 'jane')).objects?.length, 1)
      const filter = { spec: { resourceFilter: "req.ref == 'refs/heads/other'" } }
      await hub.patch(receiverRef, { type: 'merge', patch: filter }, author)
      await settle()
      await clock.advance(1000)
      assert.equal((await redeliver(name, 'jane')).objects, undefined)
      await clock.advance(25 * 60 * 60_000)
      await assert.rejects(redeliver(name, 'jane'), /the Receiver has filters, .* is not kept/)
    },
    scene,
  ))
