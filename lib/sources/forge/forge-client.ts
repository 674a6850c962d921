import type { AwsIdentity } from '../../platform/cloud/aws/credentials.ts'
import type { Environment } from '../../platform/cloud/cloud-ports.ts'
import type { ConnectionOptions, Connections } from '../../platform/http/connections.ts'
import { guardedFetch } from '../../platform/http/guarded-fetch.ts'
import { listTags } from '../git/list-tags.ts'
import { azureDevOps } from './azure-devops.ts'
import { codeCommit } from './code-commit.ts'
import { readService, type ServiceCredentials } from './external-service.ts'
import type { Forge, ForgeProvider } from './forge.ts'
import { ForgeError } from './forge.ts'
import type { ForgeCredentials } from './forge-credentials.ts'
import { gitea } from './gitea.ts'
import { gitHub, gitHubApiAddress } from './github.ts'
import { installationToken } from './github-app.ts'
import { gitLab } from './gitlab.ts'
import { type JsonApi, jsonApi } from './json-api.ts'

/** Reads lists from code forges, and from services with the same kind of API. */
export interface ForgeClient {
  /** Fails with ForgeError, also while lists are read. */
  open(options: ForgeSessionOptions): Promise<ForgeSession>
  /** The `inputs` of an external service. Fails with ForgeError. */
  readService(options: ServiceOptions): Promise<readonly Readonly<Record<string, unknown>>[]>
}

export interface ForgeSessionOptions extends ConnectionOptions {
  readonly provider: ForgeProvider
  /** URL of the repository. */
  readonly url: URL
  readonly credentials?: ForgeCredentials | { readonly type: 'bearer'; readonly token: string }
  /** Identity for CodeCommit. */
  readonly aws?: AwsIdentity
  readonly signal: AbortSignal
}

export interface ForgeSession extends Forge {
  close(): Promise<void>
}

export interface ServiceOptions extends ConnectionOptions {
  readonly url: URL
  readonly credentials?: ServiceCredentials
  readonly signal: AbortSignal
}

interface Clock {
  now(): number
}

/** `environment` may override the endpoints of AWS services. */
export const forgeClient = (clock: Clock, connections: Connections, environment?: Environment): ForgeClient => {
  const fetch = guardedFetch(connections)

  const open = async (options: ForgeSessionOptions): Promise<ForgeSession> => {
    const { provider, url, credentials, signal, tls, proxy } = options
    const opened = connections.open({ ...(tls && { tls }), ...(proxy && { proxy }) })
    try {
      if (provider === 'AWSCodeCommit') {
        const { aws: identity } = options
        if (!identity) throw new ForgeError('this hub has no AWS identity')
        const tagsOf = (url: URL, authorization: string) =>
          listTags({ url, authorization, signal, agent: opened.agent })
        return { ...codeCommit(url, { identity, environment, fetch, clock, signal, tagsOf }), close: opened.close }
      }
      const as = (authorization: Readonly<Record<string, string>>): JsonApi =>
        jsonApi({ agent: opened.agent, signal, headers: { ...headersOf[provider], ...authorization } })
      const api = as(await authorize(provider, url, credentials, clock.now(), as))
      return { ...forges[provider](url, api), close: opened.close }
    } catch (error) {
      await opened.close()
      throw error
    }
  }

  return {
    open,
    readService: async ({ tls, proxy, ...options }) => {
      const opened = connections.open({ ...(tls && { tls }), ...(proxy && { proxy }) })
      try {
        return await readService({ ...options, agent: opened.agent })
      } finally {
        await opened.close()
      }
    },
  }
}

type JsonForge = Exclude<ForgeProvider, 'AWSCodeCommit'>

const forges: Readonly<Record<JsonForge, (url: URL, api: JsonApi) => Forge>> = {
  GitHub: gitHub,
  GitLab: gitLab,
  Gitea: gitea,
  AzureDevOps: azureDevOps,
}

const headersOf: Readonly<Record<JsonForge, Readonly<Record<string, string>>>> = {
  GitHub: { accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' },
  GitLab: {},
  Gitea: {},
  AzureDevOps: {},
}

const authorize = async (
  provider: JsonForge,
  url: URL,
  credentials: ForgeSessionOptions['credentials'],
  now: number,
  as: (authorization: Readonly<Record<string, string>>) => JsonApi,
): Promise<Readonly<Record<string, string>>> => {
  if (!credentials) return {}
  if (credentials.type === 'bearer') return { authorization: `Bearer ${credentials.token}` }
  if (credentials.type === 'app') {
    if (provider !== 'GitHub') throw new ForgeError('a GitHub App can only be used with GitHub')
    const { app, apiAddress = gitHubApiAddress(url) } = credentials
    const token = await installationToken(app, apiAddress, now, authorization => as({ authorization }))
    return { authorization: `Bearer ${token}` }
  }
  const { token } = credentials
  switch (provider) {
    case 'GitHub':
      return { authorization: `Bearer ${token}` }
    case 'GitLab':
      return { 'private-token': token }
    case 'Gitea':
      return { authorization: `token ${token}` }
    case 'AzureDevOps':
      return { authorization: `Basic ${Buffer.from(`:${token}`).toString('base64')}` }
  }
}
