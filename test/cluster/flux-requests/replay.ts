import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { Agent, request } from 'node:https'
import { text } from 'node:stream/consumers'
import { after } from 'node:test'
import { parse } from 'yaml'
import { eventually } from '../../bed/eventually.ts'
import { type Exchange, listed, protobuf } from './exchange.ts'
import { lackOf, type Shape } from './shape.ts'

/** Sends recorded requests to a hub in their order, and fails where a response lacks something of what was recorded. */
export type Replay = (exchanges: readonly Exchange[], placeholders?: Readonly<Record<string, string>>) => Promise<void>

/** As the user of a kubeconfig. `placeholders` are what else stands in the recording for what differs from hub to hub. */
export const replayAs = (kubeconfig: string): Replay => {
  const send = client(kubeconfig)
  return async (exchanges, placeholders = {}) => {
    const now = new Date().toISOString().replace('Z', '123456Z')
    const versions = new Map<string, string>()
    const watches: Watch[] = []
    const fill = (template: string, path: string): string =>
      Object.entries({ ...placeholders, '<now>': now, [listed]: versions.get(collection(path)) ?? '' }).reduce(
        (all, [name, value]) => all.replaceAll(name, value),
        template,
      )
    const ask = async (exchange: Exchange): Promise<void> => {
      const { method, contentType, body = '' } = exchange
      const path = fill(exchange.path, exchange.path)
      const sent = contentType === protobuf ? Buffer.from(body, 'base64') : Buffer.from(fill(body, exchange.path))
      const response = await send({ ...exchange, path }, sent)
      const { statusCode: status, headers } = response
      const what = `${method} ${path}`
      const expected = [exchange.status, exchange.answerType]
      const actual = [status, headers['content-type']?.split(';')[0] ?? '']
      if (exchange.events) {
        watches.push(watchOf(what, response, exchange.events))
        return assert.deepEqual(actual, expected, what)
      }
      const answer = await text(response)
      assert.deepEqual(actual, expected, `${what}: ${answer}`)
      if (exchange.answer === undefined) return
      const content = JSON.parse(answer.replaceAll(now, '<now>'))
      const lack = lackOf(content, exchange.answer)
      assert.equal(lack, undefined, `${what}: ${lack}`)
      if (content.items && content.metadata.resourceVersion)
        versions.set(collection(path), content.metadata.resourceVersion)
    }
    try {
      for (const exchange of exchanges) {
        // A program looks again and again for the effect of what it wrote.
        if (exchange.method === 'GET' && !exchange.events)
          await eventually(() => ask(exchange), { within: 10_000, every: 100 })
        else await ask(exchange)
      }
      for (const watch of watches) await eventually(() => watch.requireEvents())
    } finally {
      for (const watch of watches) watch.close()
    }
  }
}

const collection = (path: string): string => path.split('?')[0]!

interface Watch {
  /** Fails as long as an event of the recording has not come. */
  requireEvents(): void
  close(): void
}

const watchOf = (what: string, response: IncomingMessage, expected: readonly Shape[]): Watch => {
  let received = ''
  response.on('error', () => {}) // it is cut when the replay ends
  response.setEncoding('utf8').on('data', (chunk: string) => {
    received += chunk
  })
  return {
    requireEvents: () => {
      const lines = received.split('\n').slice(0, -1)
      const lack = lackOf(
        lines.map(line => JSON.parse(line)),
        expected,
      )
      assert.equal(lack, undefined, `${what}: ${lack}`)
    },
    close: () => void response.destroy(),
  }
}

type Send = (
  exchange: Pick<Exchange, 'method' | 'path' | 'accept' | 'contentType'>,
  body: Buffer,
) => Promise<IncomingMessage>

const client = (kubeconfig: string): Send => {
  const { clusters, users } = parse(readFileSync(kubeconfig, 'utf8')) as {
    clusters: [{ cluster: { server: string; 'certificate-authority-data': string } }]
    users: [{ user: { token: string } }]
  }
  const { server, 'certificate-authority-data': ca } = clusters[0].cluster
  const agent = new Agent({ ca: Buffer.from(ca, 'base64'), keepAlive: true })
  after(() => agent.destroy())
  return ({ method, path, accept, contentType }, body) =>
    new Promise((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${users[0].user.token}`,
        accept,
        ...(contentType && { 'content-type': contentType }),
        ...(body.length > 0 && { 'content-length': body.length }), // node leaves it out of a DELETE
      }
      request(server + path, { method, headers, agent }, resolve)
        .once('error', reject)
        .end(body)
    })
}
