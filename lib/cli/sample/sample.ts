import { createHmac, randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { EdgeRoute, EmbeddedHub } from '../../compose/embedded.ts'
import { type KubernetesObject, refOf } from '../../foundations/kinds/object.ts'
import { gitHttpBackend } from './git-http-backend.ts'
import { sampleNamespace, sampleObjects } from './objects.ts'
import { sampleRepository } from './repository.ts'

export interface Sample {
  /** Serves the repository below `/git/`, and notifies the hub of each push with a signed webhook. */
  readonly route: EdgeRoute
  /** Creates the repository and the objects that reconcile it. */
  start(hub: EmbeddedHub, kubeconfig: string | undefined): Promise<{ readonly clone: string }>
}

/** A repository to try Keelson with, in its own directory. */
export const sample = (directory: string): Sample => {
  const backend = gitHttpBackend(join(directory, 'served'))
  let announcePush: (() => Promise<void>) | undefined

  const serve: EdgeRoute['handle'] = async (request, path) => {
    const response = await backend(request, path)
    const pushed = request.method === 'POST' && path.endsWith('/git-receive-pack') && response.ok
    if (pushed) await announcePush?.()
    return response
  }

  return {
    route: { prefix: '/git', handle: serve },
    start: async (embedded, kubeconfig) => {
      const gitUrl = `${embedded.edgeUrl}/git/sample.git`
      const { clone } = await sampleRepository(directory, gitUrl)
      const webhookToken = await keptToken(join(directory, 'webhook-token'))
      for (const object of sampleObjects({ gitUrl, webhookToken, kubeconfig })) await applyTo(embedded, object)
      announcePush = () => sendWebhook(embedded, webhookToken)
      return { clone }
    },
  }
}

const applyTo = ({ hub }: EmbeddedHub, object: KubernetesObject): Promise<unknown> =>
  hub.patch(refOf(object), { type: 'apply', object }, { fieldManager: 'keelson-sample', force: true })

/** Stays the same across starts, so that a manually configured webhook keeps working. */
const keptToken = async (file: string): Promise<string> => {
  try {
    return await readFile(file, 'utf8')
  } catch {
    const token = randomBytes(32).toString('hex')
    await writeFile(file, token, { mode: 0o600 })
    return token
  }
}

/** Sends what a forge would: a body, and its HMAC with the Receiver's token. */
const sendWebhook = async ({ hub, edge }: EmbeddedHub, token: string): Promise<void> => {
  const ref = { group: 'notification.toolkit.fluxcd.io', kind: 'Receiver', namespace: sampleNamespace, name: 'sample' }
  const receiver = await hub.get<KubernetesObject & { readonly status?: { readonly webhookPath?: string } }>(ref)
  const path = receiver?.status?.webhookPath
  if (!path) return // the Receiver is not ready yet; the interval finds the push
  const body = JSON.stringify({ repository: 'sample' })
  const signature = createHmac('sha256', token).update(body).digest('hex')
  await edge(
    new Request(`http://127.0.0.1${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-signature': `sha256=${signature}` },
      body,
    }),
  )
}
