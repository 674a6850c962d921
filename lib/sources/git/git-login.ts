import { hash } from 'node:crypto'
import { RecentlyUsed } from '../../foundations/budget/recently-used.ts'
import type { AwsIdentity } from '../../platform/cloud/aws/credentials.ts'
import { azureDevOpsResource } from '../../platform/cloud/azure/clouds.ts'
import type { AzureIdentity } from '../../platform/cloud/azure/identity.ts'
import { cached } from '../../platform/cloud/cached.ts'
import { CloudError } from '../../platform/cloud/cloud-error.ts'
import { azureDevOps, requireDirectConnection, tokenDestination } from '../../platform/cloud/token-destination.ts'
import type { ConnectionOptions, Connections } from '../../platform/http/connections.ts'
import { type GitHubApp, installationToken } from '../forge/github-app.ts'
import { jsonApi } from '../forge/json-api.ts'
import { codeCommitLogin } from './code-commit.ts'

/**
 * Logs in to the git servers of cloud providers and forges. Each method returns the value of the Authorization header,
 * and fails with CloudError or ForgeError.
 */
export interface GitLogin {
  /** AWS CodeCommit. */
  aws(url: URL, connection: ConnectionOptions, identity: AwsIdentity | undefined): Promise<string>
  /** Azure DevOps. */
  azure(url: URL, connection: ConnectionOptions, identity: AzureIdentity | undefined): Promise<string>
  /** GitHub, as an installation of a GitHub App. */
  gitHubApp(app: GitHubApp, options: GitHubAppOptions): Promise<string>
}

export interface GitHubAppOptions extends ConnectionOptions {
  /** Of the API; github.com's if absent. */
  readonly apiAddress?: string | undefined
  readonly signal: AbortSignal
}

export interface GitLoginPorts {
  readonly connections: Connections
  readonly clock: { now(): number }
}

const gitHubApi = 'https://api.github.com'
/** Installation tokens last an hour. */
const tokenMs = 60 * 60_000
const maxApps = 500

/**
 * Logins over these connections. Installation tokens of GitHub Apps are shared by all repositories of an App until they
 * expire.
 */
export const gitLogin = ({ connections, clock }: GitLoginPorts): GitLogin => {
  const apps = new RecentlyUsed<() => Promise<{ readonly token: string; readonly expiresAt: number }>>(maxApps)
  return {
    aws: async (url, connection, identity) => {
      if (!identity) throw new CloudError('AWS', 'this hub has no AWS identity')
      requireDirectConnection('AWS', connection)
      const { username, password } = codeCommitLogin(url, await identity(), clock.now())
      return basic(username, password)
    },

    azure: async (url, connection, identity) => {
      if (!identity) throw new CloudError('Azure', 'this hub has no Azure identity')
      const destination = tokenDestination(azureDevOps, url, connection)
      const { token } = await identity({ resource: azureDevOpsResource, destination })
      return `Bearer ${token}`
    },

    gitHubApp: async (app, { apiAddress = gitHubApi, signal, ...connection }) => {
      const name = hash('sha256', JSON.stringify([app, apiAddress]))
      const obtain = async () => {
        const opened = connections.open(connection)
        try {
          const expiresAt = clock.now() + tokenMs
          const as = (authorization: string) =>
            jsonApi({
              agent: opened.agent,
              headers: { authorization, accept: 'application/vnd.github+json' },
              signal: AbortSignal.any([signal, AbortSignal.timeout(30_000)]),
            })
          return { token: await installationToken(app, apiAddress, clock.now(), as), expiresAt }
        } finally {
          await opened.close()
        }
      }
      const token = apps.getOrMake(name, () => cached(obtain, () => clock.now()))
      return basic('x-access-token', (await token()).token)
    },
  }
}

const basic = (username: string, password: string): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
