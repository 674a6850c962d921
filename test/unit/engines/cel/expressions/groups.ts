import { faults } from './faults.ts'
import { format } from './format.ts'
import { functions } from './functions.ts'
import { macros } from './macros.ts'
import { maps } from './maps.ts'
import { operators } from './operators.ts'
import { paths } from './paths.ts'
import { strings } from './strings.ts'
import { syntax } from './syntax.ts'
import { time } from './time.ts'

/** Expressions by what they show, in groups. What cel-go makes of them is recorded: `node test/recorders/cel.ts`. */
export const expressions: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  operators,
  paths,
  faults,
  macros,
  maps,
  functions,
  strings,
  format,
  time,
  syntax,
}
