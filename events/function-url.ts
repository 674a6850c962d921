import { EventError, fieldsOf } from './event-error.ts'

const event = 'request to a function URL'

/** A function URL's event (payload format 2.0) as a Request. Fails with EventError. */
export const parseFunctionUrlRequest = (input: unknown, signal?: AbortSignal): Request => {
  const fields = fieldsOf(event, input)
  const context = fields.object('requestContext')
  const method = context.object('http').text('method')
  const query = fields.optionalText('rawQueryString')
  const url = `https://${context.text('domainName')}${fields.text('rawPath')}${query ? `?${query}` : ''}`
  if (!URL.canParse(url)) throw new EventError(event, 'rawPath and requestContext.domainName do not form a URL')
  const body = fields.optionalText('body')
  const isBinary = fields.value('isBase64Encoded') === true
  return new Request(url, {
    method,
    headers: headersIn(fields.value('headers'), fields.value('cookies')),
    ...(body !== undefined &&
      method !== 'GET' &&
      method !== 'HEAD' && { body: Buffer.from(body, isBinary ? 'base64' : 'utf8') }),
    ...(signal && { signal }),
  })
}

/** The address that a request comes from, if the event has one: with a domain of its own that is CloudFront, and the header X-Forwarded-For has the client. */
export const functionUrlClient = (input: unknown): string | undefined =>
  fieldsOf(event, input).object('requestContext').object('http').optionalText('sourceIp')

/** Payload format 2.0 has cookies apart from the other headers. */
const headersIn = (value: unknown, cookies: unknown): Headers => {
  const headers = new Headers()
  for (const [name, text] of Object.entries(value ?? {})) if (typeof text === 'string') headers.append(name, text)
  if (Array.isArray(cookies) && cookies.length > 0) headers.set('cookie', cookies.join('; '))
  return headers
}

/** What is kept of a request, beside its host, path and method. */
export interface KeptOfRequest {
  readonly headers?: Readonly<Record<string, string>>
  /** Without the question mark. */
  readonly query?: string
}

/** The event of a request for the same host, path and method: without its body, and with those headers and that query only. */
export const bareRequestEvent = (request: Request, { headers = {}, query = '' }: KeptOfRequest = {}): object => {
  const { host, pathname } = new URL(request.url)
  return {
    rawPath: pathname,
    rawQueryString: query,
    headers,
    requestContext: { domainName: host, http: { method: request.method } },
    isBase64Encoded: false,
  }
}

/** The status and headers of a response, in the format of function URLs. */
export interface FunctionUrlHead {
  readonly statusCode: number
  readonly headers: Readonly<Record<string, string>>
  readonly cookies?: readonly string[]
}

export interface FunctionUrlResponse extends FunctionUrlHead {
  readonly body: string
  readonly isBase64Encoded: boolean
}

/**
 * The head of a response as function URLs expect it: several headers of one name are joined, and cookies are on their
 * own.
 */
export const functionUrlHead = (response: Response): FunctionUrlHead => {
  const { 'set-cookie': _, ...headers } = Object.fromEntries(response.headers)
  const cookies = response.headers.getSetCookie()
  return { statusCode: response.status, headers, ...(cookies.length > 0 && { cookies }) }
}

/** A response with its body, in the format of function URLs. */
export const functionUrlResponse = async (response: Response): Promise<FunctionUrlResponse> => ({
  ...functionUrlHead(response),
  body: Buffer.from(await response.arrayBuffer()).toString('base64'),
  isBase64Encoded: true,
})

const requestOf = (method: string, rawPath: string, headers: Readonly<Record<string, string>>) => ({
  version: '2.0',
  routeKey: '$default',
  rawPath,
  rawQueryString: '',
  headers: {
    host: 'abcdefghijklmnopqrstuvwxyz012345.lambda-url.us-east-1.on.aws',
    'x-forwarded-proto': 'https',
    ...headers,
  },
  requestContext: {
    accountId: 'anonymous',
    apiId: 'abcdefghijklmnopqrstuvwxyz012345',
    domainName: 'abcdefghijklmnopqrstuvwxyz012345.lambda-url.us-east-1.on.aws',
    domainPrefix: 'abcdefghijklmnopqrstuvwxyz012345',
    http: {
      method,
      path: rawPath,
      protocol: 'HTTP/1.1',
      sourceIp: '192.0.2.1',
      userAgent: headers['user-agent'] ?? '',
    },
    requestId: 'e1506fd5-9e7b-434f-bd42-4f8fa224b599',
    routeKey: '$default',
    stage: '$default',
    time: '12/Mar/2020:19:03:58 +0000',
    timeEpoch: 1583348638390,
  },
  isBase64Encoded: false,
})

/** A GitHub push, as the webhook function receives it. */
export const webhookSample = {
  ...requestOf('POST', '/hook/2b3cf2ba3b4bb9a8a8b5d1d7e2a6b1f0c5d1a7e95a5b2e2a1f4c5b6a7d8e9f00', {
    'content-type': 'application/json',
    'user-agent': 'GitHub-Hookshot/044aadd',
    'x-github-event': 'push',
    'x-github-delivery': '72d3162e-cc78-11e3-81ab-4c9367dc0958',
    'x-hub-signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
  }),
  body: JSON.stringify({ ref: 'refs/heads/main', repository: { clone_url: 'https://github.com/acme/fleet.git' } }),
}

/** `kubectl get --raw /readyz`, as the api function receives it. */
export const apiSample = requestOf('GET', '/readyz', {
  accept: 'application/json, */*',
  'user-agent': 'kubectl/v1.36.3 (linux/amd64) kubernetes/0000000',
})
