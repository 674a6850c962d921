import { CloudError } from '../cloud-error.ts'
import type { AwsCredentials } from './credentials.ts'

/** A profile in `~/.aws/credentials` and `~/.aws/config`. */
export type Profile =
  | { readonly type: 'keys'; readonly credentials: AwsCredentials; readonly region?: string }
  | { readonly type: 'role'; readonly role: ProfileRole; readonly region?: string }

interface ProfileRole {
  readonly roleArn: string
  readonly sourceProfile: string
  readonly externalId?: string
  readonly sessionName?: string
}

type Section = ReadonlyMap<string, string>
export type SharedConfig = ReadonlyMap<string, Section>

/** Parses the texts of both files, if they exist, into sections by profile; credentials override config. */
export const sharedConfig = (config = '', credentials = ''): SharedConfig => {
  const profiles = new Map<string, Map<string, string>>()
  for (const [text, sectionName] of [
    [config, /^(?:profile\s+(.+)|(default))$/],
    [credentials, /^(.+)$/],
  ] as const) {
    let section: Map<string, string> | undefined
    for (const line of text.split(/\r?\n/)) {
      const header = /^\s*\[\s*([^\]]+?)\s*\]/.exec(line)?.[1]
      if (header !== undefined) {
        const [, name, plain] = sectionName.exec(header) ?? []
        const profile = (name ?? plain)?.replace(/^(["'])(.*)\1$/, '$2')
        section = profile === undefined ? undefined : (profiles.get(profile) ?? new Map())
        if (profile !== undefined && section) profiles.set(profile, section)
        continue
      }
      const [, key, value] = /^([^\s#;=][^=]*?)\s*=\s*(.*?)\s*$/.exec(line) ?? []
      if (key && value !== undefined) section?.set(key.toLowerCase(), value)
    }
  }
  return profiles
}

/** The profile of a name. Fails with CloudError if it does not exist or has neither keys nor a role. */
export const profileIn = (config: SharedConfig, name: string): Profile => {
  const section = config.get(name)
  if (!section)
    throw new CloudError('AWS', `profile ${JSON.stringify(name)} not found in the shared credentials and config files`)
  const accessKeyId = section.get('aws_access_key_id')
  const secretAccessKey = section.get('aws_secret_access_key')
  const roleArn = section.get('role_arn')
  const sourceProfile = section.get('source_profile')
  const region = section.get('region')
  if (roleArn && sourceProfile) {
    const role = {
      roleArn,
      sourceProfile,
      externalId: section.get('external_id'),
      sessionName: section.get('role_session_name'),
    }
    return { type: 'role', role, region }
  }
  if (accessKeyId && secretAccessKey) {
    const sessionToken = section.get('aws_session_token') || undefined
    return { type: 'keys', credentials: { accessKeyId, secretAccessKey, sessionToken }, region }
  }
  throw new CloudError('AWS', `profile ${JSON.stringify(name)} has neither keys nor role_arn with source_profile`)
}
