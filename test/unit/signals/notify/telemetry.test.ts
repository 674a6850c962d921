import assert from 'node:assert/strict'
import { test } from 'node:test'
import { alert, app, commit, failed, provider, type Scene, secret, within } from './alerting-scene.ts'

const set = async ({ create }: Scene, spec: object, texts: Record<string, string> = {}): Promise<void> => {
  await create(secret('credentials', texts))
  await create(provider('it', { secretRef: { name: 'credentials' }, ...spec }))
  await create(alert('it'))
}

const revision = `main@sha1:${commit}`
const instant = `${Date.UTC(2026, 0, 1)}000000`

// The message ExportTraceServiceRequest in JSON, as OTLP says: ids in hex, 64-bit numbers as text.
interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly name: string
  readonly startTimeUnixNano: string
  readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue: string } }[]
  readonly status: object
}
const spanIn = (body: string) => {
  const { resourceSpans } = JSON.parse(body)
  const [{ resource, scopeSpans }] = resourceSpans
  const textsOf = (attributes: Span['attributes']) =>
    Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue]))
  const span: Span = scopeSpans[0].spans[0]
  return {
    resource: textsOf(resource.attributes),
    scope: scopeSpans[0].scope.name,
    span,
    told: textsOf(span.attributes),
  }
}

test('an OpenTelemetry collector gets spans, one trace for all that happens to one revision', () =>
  within(async scene => {
    await set(scene, { type: 'otel', address: scene.url }, { username: 'a', password: 'b' })
    await scene.happens(failed)
    await scene.happens()
    await scene.happens({ reason: 'Progressing', metadata: {} })
    assert.deepEqual(await scene.complaints(), [])
    const [first, second, other] = scene.received.map(({ body }) => spanIn(body))
    const [{ path, headers }] = scene.received as [(typeof scene.received)[0]]
    assert.deepEqual(
      [path, headers['content-type'], headers.authorization],
      ['/v1/traces', 'application/json', `Basic ${btoa('a:b')}`],
    )
    assert.deepEqual(
      [first!.resource['service.name'], first!.resource['service.namespace'], first!.scope],
      ['default/it', 'default', 'flux:notification-controller'],
    )
    const { name, startTimeUnixNano, status, traceId, spanId } = first!.span
    assert.deepEqual([name, startTimeUnixNano], ['Kustomization: default/app', instant])
    assert.deepEqual(status, { code: 2, message: failed.message })
    assert.deepEqual(first!.told, {
      'object.uid': app.metadata.uid,
      'object.kind': 'Kustomization',
      'object.name': 'app',
      'object.namespace': 'default',
      env: 'prod',
      revision,
    })
    assert.match(`${traceId} ${spanId}`, /^[0-9a-f]{32} [0-9a-f]{16}$/)
    assert.deepEqual([second!.span.traceId, second!.span.status], [traceId, { code: 1 }])
    assert.notEqual(second!.span.spanId, spanId)
    assert.notEqual(other!.span.traceId, traceId)
  }))

test('a collector at a path of its own gets spans there, with the headers of the Secret, but none of HelmRepositories', () =>
  within(async scene => {
    const headers = 'Authorization: Api-Token x\nx-scope: team\n'
    await set(scene, { type: 'otel', address: `${scene.url}/otlp/traces` }, { headers, token: 'unused' })
    await scene.create({
      ...alert('charts'),
      spec: { providerRef: { name: 'it' }, eventSources: [{ kind: 'HelmRepository', name: '*' }] },
    })
    await scene.happens(failed, { ...app, apiVersion: 'source.toolkit.fluxcd.io/v1', kind: 'HelmRepository' })
    await scene.happens(failed)
    assert.deepEqual(await scene.complaints(), [])
    assert.deepEqual(
      scene.received.map(({ path, headers }) => [path, headers.authorization, headers['x-scope']]),
      [['/otlp/traces', 'Api-Token x', 'team']],
    )
  }))

test('Sentry gets failures as events and the rest as transactions, in its envelopes', () =>
  within(async scene => {
    const { port } = new URL(scene.url)
    const dsn = `http://public-key@127.0.0.1:${port}/behind/4711`
    await set(scene, { type: 'sentry', channel: 'staging' }, { address: dsn })
    await scene.happens(failed)
    await scene.happens()
    assert.deepEqual(await scene.complaints(), [])
    const parsed = scene.received.map(({ method, path, headers, body }) => {
      const [header, item, payload = ''] = body.split('\n')
      assert.equal(JSON.parse(item!).length, Buffer.byteLength(payload))
      assert.equal(JSON.parse(header!).event_id, JSON.parse(payload).event_id)
      assert.match(JSON.parse(payload).event_id, /^[0-9a-f]{32}$/)
      return { asked: `${method} ${path}`, auth: headers['x-sentry-auth'], type: JSON.parse(item!).type, payload }
    })
    for (const { asked, auth } of parsed) {
      assert.equal(asked, 'POST /behind/api/4711/envelope/')
      assert.match(String(auth), /^Sentry sentry_version=7, .*sentry_key=public-key$/)
    }
    const [event, transaction] = parsed.map(({ type, payload }) => ({ item: type, ...JSON.parse(payload) }))
    const { event_id: _, ...rest } = event!
    assert.deepEqual(rest, {
      item: 'event',
      platform: 'other',
      environment: 'staging',
      level: 'error',
      timestamp: '2026-01-01T00:00:00Z',
      server_name: 'kustomize-controller',
      transaction: 'Kustomization: default/app',
      message: failed.message,
      contexts: { metadata: { env: 'prod', revision } },
    })
    assert.equal(transaction!.item, 'transaction')
    assert.deepEqual(transaction!.tags, {
      flux_involved_object_kind: 'Kustomization',
      flux_involved_object_namespace: 'default',
      flux_involved_object_name: 'app',
      flux_reporting_controller: 'kustomize-controller',
      flux_reporting_instance: '',
      flux_reason: 'ReconciliationSucceeded',
      env: 'prod',
      revision,
    })
    assert.equal(transaction!.spans.length, 1)
    assert.equal(transaction!.spans[0].trace_id, transaction!.contexts.trace.trace_id)
  }))

test("Sentry's refusal is reported without the key of the DSN, and an address that is no DSN is none", () =>
  within(async scene => {
    const { port } = new URL(scene.url)
    scene.answer(() => ({ status: 403, json: { detail: 'unknown key public-key' } }))
    await set(scene, { type: 'sentry' }, { address: `http://public-key@127.0.0.1:${port}/1` })
    await scene.create(provider('bad', { type: 'sentry', address: scene.url }))
    await scene.create(alert('bad'))
    await scene.happens(failed)
    const complaints = (await scene.complaints()).join('\n')
    assert.match(complaints, /status code 403: unknown key \*\*\*\*\*$/m)
    assert.match(complaints, /must be a DSN/)
  }))
