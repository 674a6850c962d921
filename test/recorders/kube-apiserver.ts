/** A real kube-apiserver to record answers from: the one that KUBECONFIG names (`test/bed` starts them). */
import { readFileSync } from 'node:fs'
import { Agent, request } from 'undici'
import { parse } from 'yaml'

export interface Answer {
  readonly code: number
  // biome-ignore lint/suspicious/noExplicitAny: recorded JSON of any shape
  readonly body: any
  /** The texts of the Warning headers. */
  readonly warnings: readonly string[]
}

export type Ask = (
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<Answer>

/** Sends JSON (a string body goes as it is) with the first user of the kubeconfig. */
export const kubeApiserver = (kubeconfig = process.env.KUBECONFIG): Ask & { close(): Promise<void> } => {
  if (!kubeconfig) throw new Error('KUBECONFIG must name a running test cluster')
  const config = parse(readFileSync(kubeconfig, 'utf8'))
  const { cluster } = config.clusters[0]
  const { user } = config.users[0]
  const pem = (data?: string) => data && Buffer.from(data, 'base64').toString()
  const dispatcher = new Agent({
    // A panic of the server is an answer too: over HTTP 2 it would end the process.
    allowH2: false,
    connect: {
      ca: pem(cluster['certificate-authority-data']),
      cert: pem(user['client-certificate-data']),
      key: pem(user['client-key-data']),
    },
  })
  const ask: Ask = async (method, path, body, headers = {}) => {
    const answer = await request(`${cluster.server}${path}`, {
      method,
      dispatcher,
      headers: {
        'content-type': 'application/json',
        ...(user.token && { authorization: `Bearer ${user.token}` }),
        ...headers,
      },
      body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
    })
    const text = await answer.body.text()
    const warnings = [answer.headers.warning ?? []].flat().flatMap(value => value.split(/, (?=299 )/))
    return {
      code: answer.statusCode,
      body: parseJson(text),
      warnings: warnings.map(warning => JSON.parse(warning.replace(/^299 - /, ''))),
    }
  }
  return Object.assign(ask, { close: () => dispatcher.close() })
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
