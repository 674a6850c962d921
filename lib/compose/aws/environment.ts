import { isObject } from '../../foundations/kinds/json-object.ts'
import { type Stage, stages } from '../../platform/ports/queue.ts'
import type { RootSource } from '../root-source.ts'
import { readSettings } from '../settings/setting-options.ts'
import type { Settings } from '../settings/settings.ts'

/** What `cdk deploy` tells its functions. */
export interface AwsEnvironment {
  readonly hubName: string
  readonly table: string
  readonly bucket: string
  readonly kmsKey: string
  readonly queues: Readonly<Record<Stage, string>>
  readonly region: string
  readonly settings: Settings
  /** IAM ARNs of those who may do everything. */
  readonly admins: readonly string[]
  readonly rootSource?: RootSource
}

/** The environment of a function is not as it must be; tells all faults at once, each with its variable. */
export class EnvironmentError extends Error {
  constructor(faults: readonly string[]) {
    super(`the environment is not as cdk deploy makes it: ${faults.join('; ')}`)
    this.name = 'EnvironmentError'
  }
}

/** The settings alone, for a function that has no hub. Throws EnvironmentError. */
export const readAwsSettings = (variables: Variables): Settings => {
  const faults: string[] = []
  const settings = settingsIn(variables, faults)
  if (faults.length > 0) throw new EnvironmentError(faults)
  return settings
}

/** What the door of a hub is told. Throws EnvironmentError. */
export const readDoorEnvironment = (variables: Variables): Pick<AwsEnvironment, 'hubName' | 'region' | 'settings'> => {
  const faults: string[] = []
  const text = textIn(variables, faults)
  const { hubName, region } = { hubName: text('KEELSON_HUB_NAME'), region: text('AWS_REGION') }
  const settings = settingsIn(variables, faults)
  if (faults.length > 0) throw new EnvironmentError(faults)
  return { hubName, region, settings }
}

/** Reads the variables `KEELSON_*`, and AWS_REGION. Fails with EnvironmentError. */
export const readAwsEnvironment = (variables: Variables): AwsEnvironment => {
  const faults: string[] = []
  const text = textIn(variables, faults)
  const json = jsonIn(variables, faults)

  const environment = {
    hubName: text('KEELSON_HUB_NAME'),
    table: text('KEELSON_TABLE'),
    bucket: text('KEELSON_BUCKET'),
    kmsKey: text('KEELSON_KMS_KEY'),
    queues: Object.fromEntries(stages.map(stage => [stage, text(`KEELSON_QUEUE_${stage.toUpperCase()}`)])) as Record<
      Stage,
      string
    >,
    region: text('AWS_REGION'),
    settings: settingsIn(variables, faults),
    admins: json('KEELSON_ADMINS', 'a JSON list of IAM ARNs', areArns) ?? [],
    rootSource: json('KEELSON_ROOT_SOURCE', 'a JSON object with url and path', isRootSource),
  }
  if (faults.length > 0) throw new EnvironmentError(faults)
  return environment
}

export type Variables = Readonly<Record<string, string | undefined>>

const textIn =
  (variables: Variables, faults: string[]) =>
  (name: string): string => {
    const value = variables[name]
    if (!value) faults.push(`${name} is not set`)
    return value ?? ''
  }

const jsonIn =
  (variables: Variables, faults: string[]) =>
  <T>(name: string, expected: string, isRight: (value: unknown) => value is T): T | undefined => {
    const given = variables[name]
    if (!given) return undefined
    try {
      const value: unknown = JSON.parse(given)
      if (isRight(value)) return value
    } catch {
      // As below.
    }
    faults.push(`${name} is not ${expected}`)
    return undefined
  }

const settingsIn = (variables: Variables, faults: string[]): Settings => {
  const given = jsonIn(variables, faults)('KEELSON_SETTINGS', 'a JSON object of settings', isObject) ?? {}
  const { settings, faults: wrong } = readSettings(given)
  for (const fault of wrong) faults.push(`KEELSON_SETTINGS: ${fault}`)
  return settings
}

const areStrings = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every(item => typeof item === 'string')

const areArns = (value: unknown): value is string[] => areStrings(value) && value.every(arn => arn.startsWith('arn:'))

const isRootSource = (value: unknown): value is RootSource =>
  isObject(value) && typeof value.url === 'string' && typeof value.path === 'string'
