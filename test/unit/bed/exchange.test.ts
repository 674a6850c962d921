import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RecordedRequest } from '../../bed/recording-proxy.ts'
import { distinctExchangesOf, exchangesOf } from '../../cluster/flux-requests/exchange.ts'

let arrival = 0
const request = (method: string, path: string, answer: unknown, body = '', contentType?: string): RecordedRequest => ({
  ...{ arrival: arrival++, method, path, body: Buffer.from(body), status: 200, contentType: 'application/json' },
  headers: { accept: 'application/json', ...(contentType && { 'content-type': contentType }) },
  answer: typeof answer === 'string' ? answer : JSON.stringify(answer),
})

const event = (type: string, kind: string, spec?: object) =>
  JSON.stringify({
    type,
    object: { apiVersion: 'v1', kind, metadata: { name: 'a', resourceVersion: '7' }, spec, status: {} },
  })

test('keeps the last of the polls that follow each other, and masks the time that was sent', () => {
  const now = '2026-11-29T18:55:35.833078742Z'
  const exchanges = exchangesOf([
    request('PATCH', '/a', { requestedAt: now }, `{"requestedAt":"${now}"}`, 'application/merge-patch+json'),
    request('GET', '/a', { status: {} }),
    request('GET', '/a', { status: { handled: now } }),
  ])
  assert.deepEqual(
    exchanges.map(({ method, body, answer }) => [method, body, answer]),
    [
      ['PATCH', '{"requestedAt":"<now>"}', { requestedAt: '<now>' }],
      ['GET', undefined, { status: { handled: '<now>' } }],
    ],
  )
})

test('keeps each request of a program that polls and watches once, with what all its watches of the same reported', () => {
  const watch = '/a?watch=true&resourceVersion=12&timeoutSeconds=385'
  const began = request('GET', '/a?timeout=32s', { kind: 'AList' })
  const first = [event('ADDED', 'A'), event('ADDED', 'A'), event('MODIFIED', 'Event')].join('\n')
  const exchanges = distinctExchangesOf([
    request('GET', watch, first),
    request('GET', '/a?timeout=2m0s', {}),
    began,
    request('GET', watch.replace('12', '13'), event('MODIFIED', 'A', { suspend: true, path: './' })),
  ])
  const object = { apiVersion: 'v1', kind: 'A', metadata: { name: 'a', resourceVersion: 'string' } }
  assert.deepEqual(
    exchanges.map(({ path, events }) => [path, events]),
    [
      ['/a?timeout=32s', undefined],
      [
        '/a?watch=true&resourceVersion=<listed>&timeoutSeconds=300',
        [
          { type: 'ADDED', object },
          { type: 'MODIFIED', object: { ...object, spec: { suspend: true } } },
        ],
      ],
    ],
  )
})

test('keeps bodies in protobuf as they are, and no status of what a patch returns', () => {
  const [review, patch] = distinctExchangesOf([
    request('POST', '/reviews', { status: { allowed: true } }, 'k8s\0\u0080', 'application/vnd.kubernetes.protobuf'),
    request('PATCH', '/a', { kind: 'A', status: {} }, '{}', 'application/merge-patch+json'),
  ])
  assert.equal(review?.body, Buffer.from('k8s\0\u0080').toString('base64'))
  assert.deepEqual([review?.answer, patch?.answer], [{ status: { allowed: true } }, { kind: 'A' }])
})
