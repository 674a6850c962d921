import { parseTemplate } from '../template/template.ts'
import { TemplateError } from '../template/template-error.ts'
import {
  type FunctionMap,
  Struct,
  StructKeyMap,
  TemplateFunction,
  TypedList,
  TypedMap,
  type Value,
} from '../template/values/value.ts'
import type { FieldChange, ObjectId } from './set-fields.ts'

/** The changes of each file, by its path. */
export type FileChanges = ReadonlyMap<string, readonly FieldChange[]>

export interface MessageData {
  readonly automation: { readonly namespace: string; readonly name: string }
  readonly changes: FileChanges
  readonly values: Readonly<Record<string, string>> | undefined
}

/** The template uses a field that image-automation-controller no longer has. The message is its own. */
export class RemovedTemplateField extends Error {
  constructor(field: string, instead: string) {
    const page = 'https://fluxcd.io/flux/components/image/imageupdateautomations/#message-template'
    super(`template uses removed '${field}' field. Please use ${instead} instead. See: ${page}`)
    this.name = 'RemovedTemplateField'
  }
}

const defaultTemplate = 'Update from image update automation'
const templateName = 'commit message'

/** Functions whose results depend on when and where they run (sprig's non-hermetic ones), which templates of commits don't have. */
const notHermetic = [
  ...['date', 'date_in_zone', 'date_modify', 'now', 'htmlDate', 'htmlDateInZone', 'dateInZone', 'dateModify'],
  ...['randAlphaNum', 'randAlpha', 'randAscii', 'randNumeric', 'randBytes', 'uuidv4'],
]

/**
 * The functions whose results follow from their arguments: the same update has the same message wherever it is made.
 */
export const withoutChance = (functions: FunctionMap): FunctionMap =>
  new Map([...functions].filter(([name]) => !notHermetic.includes(name)))

/**
 * The message of a commit, from Go's text/template with image-automation-controller's data and the given functions. Fails with its messages, and
 * with RemovedTemplateField.
 */
export const commitMessage = (template: string | undefined, data: MessageData, functions: FunctionMap): string => {
  const parsed = attempt(
    () => parseTemplate(templateName, template || defaultTemplate, { functions }),
    'unable to create commit message template from spec',
  )
  try {
    return attempt(() => parsed.execute(templateData(data)), 'failed to run template from spec')
  } catch (error) {
    const { message } = error as Error
    if (message.includes("can't evaluate field Updated in type source.TemplateData"))
      throw new RemovedTemplateField('.Updated', "'.Changed'")
    if (message.includes("can't evaluate field ImageResult in type update.Result"))
      throw new RemovedTemplateField('.Changed.ImageResult', "'.Changed.FileChanges' or '.Changed.Objects'")
    throw error
  }
}

const attempt = <T>(work: () => T, what: string): T => {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    throw new Error(`${what}: ${error.message}`, { cause: error })
  }
}

const templateData = ({ automation, changes, values }: MessageData): Value => {
  const { namespace, name } = automation
  const key = new Map<string, Value>([
    ['Namespace', namespace],
    ['Name', name],
  ])
  return new Struct(
    'source.TemplateData',
    new Map<string, Value>([
      ['AutomationObject', new Struct('types.NamespacedName', key, undefined, () => `${namespace}/${name}`)],
      ['Changed', resultOf(changes)],
      ['Values', new TypedMap('string', Object.entries(values ?? {}), values === undefined)],
    ]),
  )
}

const resultOf = (changes: FileChanges): Value => {
  const byFile = [...changes].map(([file, found]) => [file, objectChanges(found)] as const)
  const all = [...changes.values()].flat()
  return new Struct(
    'update.Result',
    new Map<string, Value>([['FileChanges', new TypedMap('update.ObjectChanges', byFile)]]),
    new Map([
      ['Changes', new TemplateFunction([], () => changeList(withoutDuplicates(all)))],
      ['Objects', new TemplateFunction([], () => objectChanges(all))],
    ]),
  )
}

const withoutDuplicates = (changes: readonly FieldChange[]): readonly FieldChange[] => [
  ...new Map(changes.map(change => [[change.oldValue, change.newValue, change.setter].join('\0'), change])).values(),
]

const objectChanges = (changes: readonly FieldChange[]): Value => {
  const byObject = Map.groupBy(changes, ({ object: { apiVersion, kind, name, namespace } }) =>
    [apiVersion, kind, name, namespace].join('\0'),
  )
  return new StructKeyMap(
    'update.ObjectChanges',
    [...byObject].map(([text, found]) => [text, identifierOf(found[0]!.object), changeList(found)]),
  )
}

const identifierOf = ({ apiVersion, kind, name, namespace }: ObjectId): Struct =>
  new Struct(
    'update.ObjectIdentifier',
    new Map([
      ['APIVersion', apiVersion],
      ['Kind', kind],
      ['Name', name],
      ['Namespace', namespace],
    ]),
    undefined,
    () => `{{{${apiVersion} ${kind}} {${name} ${namespace}}}}`,
  )

const changeList = (changes: readonly FieldChange[]): Value =>
  TypedList.holding(
    'update.Change',
    changes.map(
      ({ oldValue, newValue, setter }) =>
        new Struct(
          'update.Change',
          new Map([
            ['OldValue', oldValue],
            ['NewValue', newValue],
            ['Setter', setter],
          ]),
        ),
    ),
  )
