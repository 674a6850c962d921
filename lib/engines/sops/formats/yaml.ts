import { emitNode } from '../../yaml/emit-node.ts'
import { documentsWithComments } from '../../yaml/parse-with-comments.ts'
import { YamlError } from '../../yaml/yaml-error.ts'
import { SopsError } from '../sops-error.ts'
import type { Branch } from '../tree.ts'
import type { Format } from './format.ts'
import { readDocument } from './yaml-reader.ts'
import { toYamlNode } from './yaml-writer.ts'

/** Any number of YAML documents, with comments; aliases are expanded. */
export const yaml: Format = {
  read: (content, budget) => {
    try {
      return [...documentsWithComments(content, budget)].map(readDocument)
    } catch (error) {
      if (!(error instanceof YamlError)) throw error
      const message = error.message.replace(/`.*`|(?<=invalid map key: ).*/s, '<redacted>')
      throw new SopsError('format', `Error unmarshaling input YAML: ${message}`, { cause: error })
    }
  },
  write: documents => Buffer.from(documents.map(writeDocument).join('---\n')),
}

const writeDocument = (document: Branch): string => emitNode(toYamlNode(document), { level: 4, indentLists: true })
