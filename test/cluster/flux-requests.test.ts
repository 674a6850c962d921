import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { parse } from 'yaml'
import { eventually } from '../bed/eventually.ts'
import { startFluxImageWorld } from './flux-image-world.ts'
import { startFluxReleaseWorld } from './flux-release-world.ts'
import { fluxCommands, fluxImageCommands, fluxReleaseCommands, registry } from './flux-requests/commands.ts'
import type { Conversation, Exchange } from './flux-requests/exchange.ts'
import { lackOf } from './flux-requests/shape.ts'
import { startFluxWorld } from './flux-world.ts'

// What the flux CLI asked of a hub, recorded (test/recorders/flux-requests.ts), is asked again: also where there is no
// flux CLI, the hub answers with all that it relies on.

const [world, releases, images] = await Promise.all([startFluxWorld(), startFluxReleaseWorld(), startFluxImageWorld()])
after(() => Promise.all([world, releases, images].map(world => world[Symbol.asyncDispose]())))
const askSite = client(world.hub.kubeconfig)
const askReleases = client(releases.hub.kubeconfig)
const askImages = client(images.hub.kubeconfig)

const conversations = [
  ...['discovery.json', ...fluxCommands.map(command => command.file)].map(file => ({ file, ask: askSite })),
  ...fluxReleaseCommands.map(({ file }) => ({ file, ask: askReleases })),
  ...fluxImageCommands.map(({ file }) => ({ file, ask: askImages })),
]
for (const { file, ask } of conversations) {
  const path = join(import.meta.dirname, 'flux-requests', file)
  const { command, exchanges } = JSON.parse(readFileSync(path, 'utf8')) as Conversation
  test(`answers what \`${command}\` asks${file === 'discovery.json' ? ' first' : ''}`, async () => {
    assert.ok(exchanges.length > 0)
    const now = new Date().toISOString().replace('Z', '123456Z')
    for (const exchange of exchanges) {
      // flux looks again and again for the effect of what it wrote.
      if (exchange.method === 'GET') await eventually(() => replay(ask, exchange, now), { within: 10_000, every: 100 })
      else await replay(ask, exchange, now)
    }
  })
}

async function replay(ask: Ask, exchange: Exchange, now: string): Promise<void> {
  const sent = exchange.body?.replaceAll('<now>', now).replaceAll(registry, images.registry)
  const { status, type, body } = await ask(exchange, sent)
  const what = `${exchange.method} ${exchange.path}`
  assert.deepEqual([status, type], [exchange.status, exchange.answerType], `${what}: ${body}`)
  if (exchange.answer === undefined) return
  const lack = lackOf(JSON.parse(body.replaceAll(now, '<now>')), exchange.answer)
  assert.equal(lack, undefined, `${what}: ${lack}`)
}

interface HttpAnswer {
  readonly status: number
  readonly type: string
  readonly body: string
}

type Ask = (exchange: Exchange, body?: string) => Promise<HttpAnswer>

function client(kubeconfig: string): Ask {
  const { clusters, users } = parse(readFileSync(kubeconfig, 'utf8')) as {
    clusters: [{ cluster: { server: string; 'certificate-authority-data': string } }]
    users: [{ user: { token: string } }]
  }
  const { server, 'certificate-authority-data': ca } = clusters[0].cluster
  const agent = new Agent({ ca: Buffer.from(ca, 'base64'), keepAlive: true })
  after(() => agent.destroy())
  return ({ method, path, accept, contentType }, body) =>
    new Promise((resolve, reject) => {
      const authorization = `Bearer ${users[0].user.token}`
      const headers = {
        authorization,
        accept,
        ...(contentType && { 'content-type': contentType }),
        ...(body && { 'content-length': Buffer.byteLength(body) }), // node leaves it out of a DELETE
      }
      const asking = request(server + path, { method, headers, agent }, answer => {
        const { statusCode = 0, headers } = answer
        const type = headers['content-type']?.split(';')[0] ?? ''
        text(answer).then(content => resolve({ status: statusCode, type, body: content }), reject)
      })
      asking.once('error', reject).end(body)
    })
}
