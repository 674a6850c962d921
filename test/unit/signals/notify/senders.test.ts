import assert from 'node:assert/strict'
import { test } from 'node:test'
import { alert, failed, provider, type Received, type Scene, secret, within } from './alerting-scene.ts'
import { type Case, cases, type Expected, message, title, uid } from './sender-cases.ts'

/** Digests are shown as such, and only the headers that matter. */
const shown = ({ method, path, headers, body }: Received, expected: Expected | undefined): unknown => {
  const digestless = (text: string) =>
    text.replace(/(["/])[0-9a-f]{64}(?=["/]|$)/g, '$1<sha256>').replace(/(\/)[0-9a-f]{40}$/g, '$1<sha1>')
  return {
    method,
    path: digestless(path),
    headers: Object.fromEntries(Object.keys(expected?.headers ?? {}).map(name => [name, headers[name]])),
    ...(expected?.body === undefined ? { json: JSON.parse(digestless(body)) } : { body }),
  }
}

const set = async (
  { create, url }: Scene,
  type: string,
  { spec, texts = {} }: Omit<Case, 'requests'>,
): Promise<void> => {
  await create(secret('credentials', texts))
  await create(provider('it', { type, address: url, secretRef: { name: 'credentials' }, ...spec?.(url) }))
  await create(alert('it'))
}

for (const [type, { requests, ...configuration }] of Object.entries(cases))
  test(`a Provider of type ${type} gets events in its own form`, () =>
    within(async scene => {
      await set(scene, type, configuration)
      await scene.happens(failed)
      assert.deepEqual(
        scene.received.map((request, i) => shown(request, requests[i])),
        requests.map(expected => ({ method: 'POST', headers: {}, ...expected })),
      )
      assert.deepEqual(await scene.complaints(), [])
    }))

test('PagerDuty closes the incident with good news, and is shown the change', () =>
  within(async scene => {
    await set(scene, 'pagerduty', { spec: () => ({ channel: 'routing' }) })
    await scene.happens({ reason: 'Progressing' })
    assert.equal(scene.received.length, 0)
    await scene.happens()
    const [event, change] = scene.received.map(({ path, body }) => ({ path, ...JSON.parse(body) }))
    assert.deepEqual(event, { path: '/v2/enqueue', routing_key: 'routing', dedup_key: uid, event_action: 'resolve' })
    assert.equal(change.path, '/v2/change/enqueue')
    assert.equal(change.payload.summary, 'reconciliation succeeded: kustomization/app')
  }))

test("an error in Slack's response fails the delivery", () =>
  within(async scene => {
    scene.answer(() => ({ json: { ok: false, error: 'channel_not_found' } }))
    await set(scene, 'slack', {})
    await scene.happens()
    assert.deepEqual(await scene.complaints(), []) // only of its API's address is that known to be so
  }))

test('an ARN as the address of a generic Provider names an SNS topic or an EventBridge bus', () =>
  within(async scene => {
    scene.answer(() => ({ json: { FailedEntryCount: 0 } }))
    const arns = ['arn:aws:sns:eu-west-1:123456789012:news', 'arn:aws:events:eu-west-1:123456789012:event-bus/fleet']
    for (const [i, address] of arns.entries()) {
      await scene.create(provider(`aws-${i}`, { type: 'generic', address }))
      await scene.create(alert(`aws-${i}`))
    }
    await scene.happens(failed)
    assert.deepEqual(await scene.complaints(), [])
    const bodies = scene.received.map(({ headers, body }) => ({ headers, body }))
    const sns = bodies.find(({ headers }) => headers.authorization?.includes('/eu-west-1/sns/aws4_request'))
    const form = new URLSearchParams(sns?.body)
    assert.deepEqual([form.get('Action'), form.get('TopicArn'), form.get('Subject')], ['Publish', arns[0], title])
    assert.equal(JSON.parse(form.get('Message') ?? '').message, message)
    const events = bodies.find(({ headers }) => headers['x-amz-target'] === 'AWSEvents.PutEvents')
    const [entry] = JSON.parse(events?.body ?? '{}').Entries
    assert.deepEqual([entry.EventBusName, entry.DetailType], [arns[1], 'Kustomization HealthCheckFailed'])
    assert.match(
      events?.headers.authorization ?? '',
      /Credential=AKIDEXAMPLE\/20260101\/eu-west-1\/events\/aws4_request/,
    )
  }))
