import { readFileSync } from 'node:fs'
import { request } from 'node:https'
import { json } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { parse } from 'yaml'

export interface HubApi {
  /** One request; resolves with the answer's code and body, and asks again for as long as nobody answers. */
  ask(method: string, path: string, body?: unknown): Promise<{ readonly status: number; readonly body: unknown }>
}

/** A client that survives the hub's deaths: each request is repeated until it was answered. */
export function hubApi(kubeconfig: string): HubApi {
  const { clusters, users } = parse(readFileSync(kubeconfig, 'utf8')) as Kubeconfig
  const { server, 'certificate-authority-data': authority } = clusters[0].cluster
  const ca = Buffer.from(authority, 'base64')
  const headers = { authorization: `Bearer ${users[0].user.token}`, 'content-type': 'application/json' }

  const once = (method: string, path: string, body: unknown) =>
    new Promise<{ status: number; body: unknown }>((resolve, reject) => {
      const asking = request(server + path, { method, ca, headers, timeout: 10_000 }, response =>
        json(response).then(body => resolve({ status: response.statusCode!, body }), reject),
      )
      asking.once('error', reject)
      asking.once('timeout', () => asking.destroy(new Error('no answer')))
      asking.end(body === undefined ? undefined : JSON.stringify(body))
    })

  return {
    ask: async (method, path, body) => {
      for (;;) {
        try {
          return await once(method, path, body)
        } catch {
          await sleep(50)
        }
      }
    },
  }
}

interface Kubeconfig {
  readonly clusters: readonly [
    { readonly cluster: { readonly server: string; readonly 'certificate-authority-data': string } },
  ]
  readonly users: readonly [{ readonly user: { readonly token: string } }]
}
