import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sample as ecrSample, parseEcrPush } from '../../../events/ecr-push.ts'
import { EventError } from '../../../events/event-error.ts'
import {
  apiSample,
  functionUrlHead,
  functionUrlResponse,
  parseFunctionUrlRequest,
  webhookSample,
} from '../../../events/function-url.ts'
import { parseQueueMessage, sample as queueSample } from '../../../events/queue-message.ts'
import { isStoreFleetRequest, storeFleetRequest } from '../../../events/store-fleet.ts'
import { isTrustedIssuersRequest, parseTrustedIssuers, trustedIssuersRequest } from '../../../events/trusted-issuers.ts'

const refused = (message: RegExp) => (error: unknown) => error instanceof EventError && message.test(error.message)

test('reads a queue message, and says which field of another is wrong', () => {
  assert.deepEqual(parseQueueMessage(queueSample.Records[0]!.body), {
    stage: 'apply',
    ref: { group: 'kustomize.toolkit.fluxcd.io', kind: 'Kustomization', namespace: 'flux-system', name: 'apps' },
    group: 'flux-system/staging-kubeconfig',
  })
  const good = { stage: 'source', ref: { group: '', kind: 'A', namespace: '', name: 'a' } }
  assert.deepEqual(parseQueueMessage(JSON.stringify({ ...good, more: 1 })), good)
  const wrong: [string, RegExp][] = [
    ['{', /its body is not JSON/],
    ['[]', /it is not an object/],
    [JSON.stringify({ ...good, stage: 'toString' }), /stage is "toString", not one of source, build/],
    [JSON.stringify({ stage: 'source' }), /ref is not an object/],
    [JSON.stringify({ ...good, ref: { ...good.ref, name: 7 } }), /ref\.name is not a string/],
  ]
  for (const [body, message] of wrong) assert.throws(() => parseQueueMessage(body), refused(message), body)
})

test('reads pushes to ECR, with a tag or without, and leaves other actions alone', () => {
  const push = { registry: '123456789012.dkr.ecr.us-west-2.amazonaws.com', repository: 'my-repository-name' }
  const digest = ecrSample.detail['image-digest']
  assert.deepEqual(parseEcrPush(ecrSample), { ...push, tag: 'latest', digest })
  const { 'image-tag': _, 'image-digest': __, ...detail } = ecrSample.detail
  assert.deepEqual(parseEcrPush({ ...ecrSample, detail }), push)
  assert.deepEqual(parseEcrPush({ ...ecrSample, region: 'cn-north-1', detail })?.registry.slice(-3), '.cn')
  assert.equal(parseEcrPush({ ...ecrSample, detail: { ...detail, 'action-type': 'DELETE' } }), undefined)
  assert.equal(parseEcrPush({ ...ecrSample, detail: { ...detail, result: 'FAILURE' } }), undefined)
  assert.throws(() => parseEcrPush({ ...ecrSample, account: 'evil.com/' }), refused(/account/))
  assert.throws(() => parseEcrPush({}), refused(/detail is not an object/))
})

test('makes requests of function URL events, to the byte', async () => {
  const request = parseFunctionUrlRequest(webhookSample)
  assert.equal(request.method, 'POST')
  assert.equal(new URL(request.url).pathname, webhookSample.rawPath)
  assert.equal(request.headers.get('x-github-event'), 'push')
  assert.equal(await request.text(), webhookSample.body)

  const bytes = Buffer.from([0, 255, 10])
  const binary = {
    ...webhookSample,
    body: bytes.toString('base64'),
    isBase64Encoded: true,
    rawQueryString: 'a=b%2Fc&d',
  }
  const same = parseFunctionUrlRequest(binary)
  assert.deepEqual(Buffer.from(await same.arrayBuffer()), bytes)
  assert.equal(new URL(same.url).search, '?a=b%2Fc&d')
  assert.equal(parseFunctionUrlRequest({ ...apiSample, body: 'x' }).body, null)
  const { headers } = parseFunctionUrlRequest({ ...apiSample, cookies: ['a=1', 'b=2'] })
  assert.equal(headers.get('cookie'), 'a=1; b=2', 'AWS sends cookies apart from the other headers')
  const stop = new AbortController()
  const ended = parseFunctionUrlRequest(apiSample, stop.signal)
  stop.abort()
  assert.equal(ended.signal.aborted, true)
  assert.throws(() => parseFunctionUrlRequest({ ...apiSample, rawPath: 7 }), refused(/rawPath is not a string/))
})

test('creates responses for function URLs', async () => {
  const response = new Response('ünïcode', { status: 201, headers: { 'content-type': 'text/plain' } })
  response.headers.append('set-cookie', 'a=1')
  response.headers.append('set-cookie', 'b=2')
  assert.deepEqual(functionUrlHead(response), {
    statusCode: 201,
    headers: { 'content-type': 'text/plain' },
    cookies: ['a=1', 'b=2'],
  })
  const { body, isBase64Encoded } = await functionUrlResponse(response)
  assert.deepEqual([Buffer.from(body, 'base64').toString(), isBase64Encoded], ['ünïcode', true])
})

test('recognizes the request for trusted issuers, and parses the response', () => {
  assert.deepEqual([isTrustedIssuersRequest(trustedIssuersRequest), isTrustedIssuersRequest(apiSample)], [true, false])
  assert.deepEqual([isStoreFleetRequest(storeFleetRequest), isStoreFleetRequest(apiSample)], [true, false])
  const keySet = { keys: [{ kty: 'EC' }] }
  const known = { accounts: ['111122223333'], keySet, issuers: [{ url: 'https://login.example.com', keySet }] }
  assert.deepEqual(parseTrustedIssuers(JSON.stringify({ ...known, more: 1 })), known)
  const { issuers: _, ...withoutIssuers } = known
  assert.deepEqual(parseTrustedIssuers(JSON.stringify(withoutIssuers)), { ...known, issuers: [] })
  const wrong: [string, RegExp][] = [
    ['', /it is not JSON/],
    ['[]', /it is not an object/],
    [JSON.stringify({ ...known, accounts: [7] }), /accounts or keySet\.keys is not a list/],
    [JSON.stringify({ ...known, keySet: {} }), /accounts or keySet\.keys is not a list/],
    [JSON.stringify({ ...known, issuers: {} }), /issuers is not a list/],
    [JSON.stringify({ ...known, issuers: [{ url: 'x', keySet: {} }] }), /issuers\[\]\.keySet\.keys is not a list/],
  ]
  for (const [text, message] of wrong) assert.throws(() => parseTrustedIssuers(text), refused(message))
})
