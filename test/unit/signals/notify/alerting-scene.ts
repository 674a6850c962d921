import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import { createReferences } from '../../../../lib/hub/references/references.ts'
import { connections } from '../../../../lib/platform/http/connections.ts'
import type { Delayed, Message } from '../../../../lib/platform/ports/queue.ts'
import { type AlertingSettings, createAlerting } from '../../../../lib/signals/notify/alerting.ts'
import { createEventRecorder, type Occurrence } from '../../../../lib/signals/notify/event-recorder.ts'
import { createSenders } from '../../../../lib/signals/notify/senders/all.ts'
import { openWorld } from '../../reconcile/world.ts'

/** What somebody was sent. */
export interface Received {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

type Answer = { readonly status?: number; readonly headers?: Record<string, string>; readonly json?: unknown }

export interface Scene {
  /** Where the one who is told listens. */
  readonly url: string
  readonly received: Received[]
  /** How requests are answered; 200 with `{}` unless it says otherwise. */
  answer(how: (request: Received) => Answer | undefined): void
  create(object: KubernetesObject): Promise<unknown>
  /** Records an event about an object, and delivers what is due. */
  happens(occurrence?: Partial<Occurrence>, object?: KubernetesObject): Promise<void>
  /** Lets time pass, delivering what comes due. */
  pass(ms: number): Promise<void>
  /** Forgets the messages that are under way, and sweeps. */
  loseMessages(): Promise<void>
  /** `<type> <reason>: <message>` of the Events on the Alerts. */
  complaints(): Promise<readonly string[]>
}

export const app: KubernetesObject = {
  apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
  kind: 'Kustomization',
  metadata: {
    name: 'app',
    namespace: 'default',
    uid: '4f1c2b1e-0000-4000-8000-000000000001',
    resourceVersion: '7',
    labels: { team: 'a' },
    annotations: { 'event.toolkit.fluxcd.io/env': 'prod' },
  },
}

export const commit = 'a7e0c7f7d1c64c8f92d1b0f1d1e2a3b4c5d6e7f8'

const succeeded: Occurrence = {
  severity: 'info',
  reason: 'ReconciliationSucceeded',
  message: 'Reconciliation finished in 1s, next run in 10m0s',
  metadata: {
    'kustomize.toolkit.fluxcd.io/revision': `main@sha1:${commit}`,
    'kustomize.toolkit.fluxcd.io/checksum': 'internal',
    'other.example.com/key': 'of another group',
  },
}

export const failed: Partial<Occurrence> = {
  severity: 'error',
  reason: 'HealthCheckFailed',
  message: 'health check failed\nDeployment/default/app is not ready',
}

interface SecretText {
  readonly [key: string]: string
}

export const secret = (name: string, texts: SecretText): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace: 'default' },
  data: Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString('base64')])),
})

export const provider = (name: string, spec: object, namespace = 'default'): KubernetesObject => ({
  apiVersion: 'notification.toolkit.fluxcd.io/v1beta3',
  kind: 'Provider',
  metadata: { name, namespace },
  spec,
})

export const alert = (name: string, spec: object = {}, namespace = 'default'): KubernetesObject => ({
  apiVersion: 'notification.toolkit.fluxcd.io/v1beta3',
  kind: 'Alert',
  metadata: { name, namespace },
  spec: { providerRef: { name }, eventSources: [{ kind: 'Kustomization', name: '*' }], ...spec },
})

/** A hub that tells of events, and somebody who listens. */
export const within = async (
  story: (scene: Scene) => Promise<void>,
  settings: Partial<AlertingSettings> = {},
): Promise<void> => {
  const received: Received[] = []
  let answerOf: Parameters<Scene['answer']>[0] = () => undefined
  const server = createServer(async (request, response) => {
    const got = await read(request)
    received.push(got)
    const { status = 200, headers = {}, json = {} } = answerOf(got) ?? {}
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(json))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  const world = await openWorld(() => [])
  const { hub, clock, ports } = world
  const open = connections()
  const waiting: { readonly message: Message; readonly at: number }[] = []
  const queue = {
    send: async (messages: readonly Delayed<Message>[]) => {
      for (const { delayMs = 0, ...message } of messages) waiting.push({ message, at: clock.now() + delayMs })
    },
  }
  const identity = async () => ({ accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'of this process' })
  const environment = { AWS_ENDPOINT_URL: url }
  const senders = createSenders({ fetch: fetch as never, clock, environment, aws: identity })
  const recorder = createEventRecorder({ hub, clock })
  const { events, outbox } = createAlerting(
    { ...ports, hub, references: createReferences(hub), queue, events: recorder, connections: open, senders },
    { noCrossNamespaceRefs: false, ...settings },
  )
  const deliver = async (): Promise<void> => {
    for (;;) {
      const due = waiting.findIndex(({ at }) => at <= clock.now())
      if (due < 0) return
      const [{ message }] = waiting.splice(due, 1) as [(typeof waiting)[0]]
      await outbox.handle(message)
    }
  }
  try {
    await hub.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'other' } }, { fieldManager: 'test' })
    await story({
      url,
      received,
      answer: how => {
        answerOf = how
      },
      create: object => hub.create(object, { fieldManager: 'test' }),
      happens: async (occurrence, object = app) => {
        await events.record(object, { ...succeeded, ...occurrence }, 'kustomize-controller')
        await deliver()
      },
      pass: async ms => {
        const end = clock.now() + ms
        while (clock.now() < end) {
          const next = Math.min(end, ...waiting.map(({ at }) => Math.max(at, clock.now() + 1)))
          await clock.advance(next - clock.now())
          await deliver()
        }
      },
      loseMessages: async () => {
        waiting.splice(0)
        await outbox.sweep()
        await deliver()
      },
      complaints: async () => {
        const { items } = await hub.list<KubernetesObject & { reason: string; message: string; type: string }>({
          group: '',
          kind: 'Event',
        })
        return items
          .filter(event => (event as unknown as { involvedObject: { kind: string } }).involvedObject.kind === 'Alert')
          .map(({ type, reason, message }) => `${type} ${reason}: ${message}`)
      },
    })
  } finally {
    await open.close()
    await world.close()
    server.close()
    server.closeAllConnections()
  }
}

const read = async (request: IncomingMessage): Promise<Received> => {
  const { method = '', url = '', headers } = request
  let body = ''
  for await (const chunk of request.setEncoding('utf8')) body += chunk
  return { method, path: url, headers, body }
}
