import type { KeyObject } from 'node:crypto'
import { isObject } from '../../../foundations/kinds/json-object.ts'
import { CloudError } from '../cloud-error.ts'
import { type JsonResponse, parseObject, textOr } from '../send-request.ts'
import { rsaKey } from '../signed-jwt.ts'

/** A Google credentials file, by its `type`. */
export type GcpCredentials = ServiceAccountKey | AuthorizedUser | ExternalAccount

export interface ServiceAccountKey {
  readonly type: 'service_account'
  readonly email: string
  readonly keyId: string | undefined
  readonly key: KeyObject
}

export interface AuthorizedUser {
  readonly type: 'authorized_user'
  readonly clientId: string
  readonly clientSecret: string
  readonly refreshToken: string
}

/** Workload identity federation: exchanges another issuer's token for Google's. */
export interface ExternalAccount {
  readonly type: 'external_account'
  readonly audience: string
  readonly subjectTokenType: string
  /** Google's STS. */
  readonly tokenUrl: string
  /** Google's IAM: the federated identity impersonates this service account. */
  readonly impersonationUrl: string | undefined
  readonly source: SubjectTokenSource
}

export type SubjectTokenSource =
  | { readonly type: 'file'; readonly path: string; readonly field?: string }
  | {
      readonly type: 'url'
      readonly url: string
      readonly headers: Readonly<Record<string, string>>
      readonly field?: string
    }
  | { readonly type: 'aws'; readonly verificationUrl: string }

/** Parses a credentials file. Fails with CloudError, which names the field but quotes none of its content. */
export const parseGcpCredentials = (text: string): GcpCredentials => {
  const json = parseObject(text)
  if (!json) throw invalid('not a JSON object')
  if (json.type === 'service_account') {
    const key = rsaKey(required(json, 'private_key'))
    if (!key) throw invalid('private_key is not an RSA key in PEM')
    return { type: json.type, email: required(json, 'client_email'), keyId: textOr(json.private_key_id), key }
  }
  if (json.type === 'authorized_user') {
    return {
      type: json.type,
      clientId: required(json, 'client_id'),
      clientSecret: required(json, 'client_secret'),
      refreshToken: required(json, 'refresh_token'),
    }
  }
  if (json.type === 'external_account') return externalAccount(json)
  throw invalid(`type must be service_account, authorized_user or external_account`)
}

const externalAccount = (json: JsonResponse): ExternalAccount => {
  const impersonationUrl = textOr(json.service_account_impersonation_url)
  return {
    type: 'external_account',
    audience: required(json, 'audience'),
    subjectTokenType: required(json, 'subject_token_type'),
    tokenUrl: googleUrl(textOr(json.token_url) ?? 'https://sts.googleapis.com/v1/token', 'token_url'),
    impersonationUrl: impersonationUrl && googleUrl(impersonationUrl, 'service_account_impersonation_url'),
    source: sourceIn(json.credential_source),
  }
}

const sourceIn = (source: unknown): SubjectTokenSource => {
  if (!isObject(source)) throw invalid('credential_source is missing')
  const format = isObject(source.format) ? source.format : {}
  const field = format.type === 'json' ? textOr(format.subject_token_field_name) : undefined
  const file = textOr(source.file)
  if (file) return { type: 'file', path: file, field }
  if (textOr(source.environment_id)?.startsWith('aws')) {
    return { type: 'aws', verificationUrl: required(source, 'regional_cred_verification_url') }
  }
  const url = textOr(source.url)
  if (url) return { type: 'url', url, headers: textFields(source.headers), field }
  throw invalid('credential_source names no file, url or AWS environment; executables are not run')
}

const textFields = (value: unknown): Readonly<Record<string, string>> =>
  isObject(value)
    ? Object.fromEntries(Object.entries(value).filter((e): e is [string, string] => typeof e[1] === 'string'))
    : {}

/** A credentials file names the URLs that receive its tokens: only Google's are allowed. */
const googleUrl = (text: string, field: string): string => {
  const url = URL.parse(text)
  if (url?.protocol === 'https:' && /(^|\.)googleapis\.com$/.test(url.hostname)) return text
  throw invalid(`${field} must be an https URL below googleapis.com`)
}

const required = (json: JsonResponse, field: string): string => {
  const value = textOr(json[field])
  if (value === undefined) throw invalid(`${field} is missing`)
  return value
}

const invalid = (problem: string): CloudError => new CloudError('GCP', `invalid credentials file: ${problem}`)
