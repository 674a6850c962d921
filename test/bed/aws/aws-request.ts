import { Sha256 } from '@aws-crypto/sha256-js'
import { SignatureV4 } from '@smithy/signature-v4'
import { Agent, request } from 'undici'
import { type AwsEmulator, certificateOf } from './emulator.ts'

export interface AwsRequest {
  readonly service: string
  readonly method: string
  /** Path and query. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export interface AwsAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
}

/** Signed requests to the emulator as the account's root: for services whose SDK client we don't carry. */
export function awsRequests(emulator: AwsEmulator): (request: AwsRequest) => Promise<AwsAnswer> {
  const { hostname, host, port, protocol } = new URL(emulator.endpoint)
  const dispatcher = new Agent({
    connect: { ca: certificateOf(emulator) },
    // A connection for each request: the emulator closes idle ones, which on a busy machine meets the next request, and no POST is repeated.
    pipelining: 0,
    // Over HTTP/2 all would share one connection, which the emulator closes after a thousand requests, with those that are under way.
    allowH2: false,
    headersTimeout: 900_000,
    bodyTimeout: 900_000,
  })
  return async ({ service, method, path, headers = {}, body }) => {
    const { credentials, region } = emulator
    const signer = new SignatureV4({ service, region, credentials, sha256: Sha256 })
    const [pathname = '', search = ''] = path.split(/\?(.*)/s)
    const query = Object.fromEntries(new URLSearchParams(search))
    const signed = await signer.sign({
      ...{ method, hostname, port: Number(port), protocol, path: pathname, query, body },
      headers: { host, ...headers },
    })
    const answer = await request(`${emulator.endpoint}${path}`, {
      method,
      headers: signed.headers,
      body,
      dispatcher,
    })
    return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() }
  }
}
