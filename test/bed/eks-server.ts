/** EKS' ListClusters and DescribeCluster, and STS' AssumeRole, over HTTP in AWS' documented shapes, for what the AWS emulator does not do: pages, throttling, refusals. */
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface EksCluster {
  readonly name: string
  readonly region: string
  readonly account: string
  readonly status?: 'CREATING' | 'ACTIVE'
  readonly tags?: Readonly<Record<string, string>>
}

export interface EksServer extends AsyncDisposable {
  readonly url: string
  clusters: EksCluster[]
  /** `ListClusters eu-west-1 as <access key>`, `AssumeRole <arn> <external id>`. */
  readonly requests: string[]
  /** Throttles that many requests. */
  throttle: number
  /** Refuses requests of this access key. */
  denied: string | undefined
  /** External IDs by role. */
  readonly roles: Map<string, string | undefined>
}

/** AWS' default for ListClusters is 100; a small page shows that pages are followed. */
const pageSize = 2

export const arnOf = ({ name, region, account }: EksCluster): string =>
  `arn:aws:eks:${region}:${account}:cluster/${name}`

export const eksServer = async (): Promise<EksServer> => {
  const server = createServer(async (request, response) => {
    const { status, headers = {}, body } = await respond(request)
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
  })
  const respond = async (request: IncomingMessage): Promise<Answer> => {
    const { pathname, searchParams } = new URL(request.url!, 'http://aws')
    if (request.method === 'POST') return assumeRole(new URLSearchParams(await textOf(request)))
    const [, key = '', region = ''] =
      /Credential=([^/]+)\/\d+\/([^/]+)\/eks\/aws4_request/.exec(request.headers.authorization ?? '') ?? []
    const account = key.startsWith('ROLE') ? key.slice('ROLE'.length) : '111111111111'
    if (state.throttle > 0) {
      state.throttle--
      return failure(429, 'TooManyRequestsException', 'Rate exceeded')
    }
    if (key === state.denied)
      return failure(403, 'AccessDeniedException', 'User is not authorized to perform: eks:ListClusters')
    const own = state.clusters.filter(one => one.account === account && one.region === region)
    if (pathname === '/clusters') {
      state.requests.push(`ListClusters ${region} as ${key}`)
      const from = Number(searchParams.get('nextToken') ?? 0)
      const more = from + pageSize < own.length
      return json({
        clusters: own.slice(from, from + pageSize).map(({ name }) => name),
        nextToken: more ? String(from + pageSize) : null,
      })
    }
    const name = decodeURIComponent(pathname.slice('/clusters/'.length))
    const one = own.find(cluster => cluster.name === name)
    if (!one) return failure(404, 'ResourceNotFoundException', `No cluster found for name: ${name}.`)
    return json({ cluster: describe(one) })
  }
  const assumeRole = (body: URLSearchParams): Answer => {
    const [arn, externalId] = [body.get('RoleArn') ?? '', body.get('ExternalId') ?? undefined]
    state.requests.push(`AssumeRole ${arn} ${externalId ?? ''}`.trim())
    if (!state.roles.has(arn) || state.roles.get(arn) !== externalId)
      return {
        status: 403,
        body: `<ErrorResponse><Error><Code>AccessDenied</Code><Message>not authorized to perform: sts:AssumeRole on resource: ${arn}</Message></Error></ErrorResponse>`,
      }
    return {
      status: 200,
      body: `<AssumeRoleResponse><AssumeRoleResult><Credentials><AccessKeyId>ROLE${arn.split(':')[4]}</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken><Expiration>2099-01-01T00:00:00Z</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>`,
    }
  }
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const state: EksServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    clusters: [],
    requests: [],
    throttle: 0,
    denied: undefined,
    roles: new Map(),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
  return state
}

interface Answer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string
}

const json = (value: object): Answer => ({ status: 200, body: JSON.stringify(value) })

/** As of AWS' REST JSON protocol: the code is in a header. */
const failure = (status: number, code: string, message: string): Answer => ({
  ...{ status, headers: { 'x-amzn-errortype': code } },
  body: JSON.stringify({ message }),
})

const describe = (one: EksCluster) => ({
  ...{ name: one.name, arn: arnOf(one), version: '1.34', status: one.status ?? 'ACTIVE', tags: one.tags ?? {} },
  ...(one.status !== 'CREATING' && {
    endpoint: `https://${one.name.toUpperCase()}.gr7.${one.region}.eks.amazonaws.com`,
    certificateAuthority: { data: Buffer.from(`authority of ${one.name}`).toString('base64') },
  }),
})

const textOf = async (request: IncomingMessage): Promise<string> => {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part)
  return Buffer.concat(parts).toString()
}
