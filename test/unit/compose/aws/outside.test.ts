import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openAwsHub } from '../../../../lib/compose/aws/aws-hub.ts'
import { readAwsEnvironment } from '../../../../lib/compose/aws/environment.ts'
import { observability } from '../../../../lib/compose/aws/observability.ts'
import type { Connections } from '../../../../lib/platform/http/connections.ts'
import { guardedFetch } from '../../../../lib/platform/http/guarded-fetch.ts'
import { jsonServer } from '../../../bed/json-server.ts'

const variables = {
  ...{
    KEELSON_HUB_NAME: 'hub',
    KEELSON_TABLE: 't',
    KEELSON_BUCKET: 'b',
    KEELSON_KMS_KEY: 'k',
    AWS_REGION: 'eu-west-1',
  },
  ...{ KEELSON_QUEUE_SOURCE: 's', KEELSON_QUEUE_BUILD: 'b', KEELSON_QUEUE_APPLY: 'a' },
  ...{ KEELSON_QUEUE_HELMRELEASE: 'h', KEELSON_QUEUE_RESOURCESET: 'r', KEELSON_QUEUE_NOTIFY: 'n' },
}

/** The way outside, as a function has it. */
const onLambda = async (use: (wires: Connections) => Promise<void>): Promise<void> => {
  const { ports, cloud } = openAwsHub(readAwsEnvironment(variables), observability('hub'))
  const wires = ports.connections
  try {
    await use(wires)
  } finally {
    await cloud.close()
  }
}

const forbidden = { name: 'ForbiddenAddress', message: /is a loopback address/ }
const namesOf = ({ url }: { readonly url: string }) => [url, url.replace('127.0.0.1', 'localhost')]

test("no address that a user names leads to a function's own runtime", async () => {
  const runtime = await jsonServer(() => ({ json: { event: 'of somebody else' } }))
  await onLambda(async wires => {
    for (const url of namesOf(runtime)) await assert.rejects(guardedFetch(wires)(url), forbidden, url)
  })
})

test('neither does a proxy that a user names, nor a request through one', async () => {
  const runtime = await jsonServer(() => ({ json: { event: 'of somebody else' } }))
  const elsewhere = 'http://192.0.2.1/'
  await onLambda(async wires => {
    for (const http of namesOf(runtime))
      for (const proxy of [http, http.replace('http:', 'socks5:')]) {
        const { agent, close } = wires.open({ proxy: new URL(proxy) })
        await assert.rejects(agent.request({ origin: elsewhere, path: '/', method: 'GET' }), forbidden, proxy)
        await close()
      }
    const { agent, close } = wires.open({ proxy: new URL('http://192.0.2.1:3128') })
    await assert.rejects(agent.request({ origin: runtime.url, path: '/', method: 'GET' }), forbidden)
    await close()
  })
})

test('neither do the addresses of what is no HTTP: Git over SSH, NATS', async () => {
  const signal = AbortSignal.timeout(5_000)
  await onLambda(async wires => {
    for (const host of ['127.0.0.1', 'localhost', '::1']) {
      await assert.rejects(wires.socket(host, 9001, signal), forbidden, host)
      const proxy = new URL(`socks5://${host.includes(':') ? `[${host}]` : host}:9001`)
      await assert.rejects(wires.socket('192.0.2.1', 22, signal, proxy), forbidden, proxy.href)
    }
  })
})
