import type { Generator } from './generator.ts'
import { attacks } from './generators/attacks.ts'
import { checklist } from './generators/checklist.ts'
import { commands } from './generators/commands.ts'
import { kinds } from './generators/kinds.ts'
import { libraries } from './generators/libraries.ts'
import { mutationScores } from './generators/mutation-scores.ts'
import { rooms } from './generators/rooms.ts'
import { terminal } from './generators/terminal.ts'

/** All that `npm run docs` makes. A new generator is a file in generators/, and a line here. */
export const generators: readonly Generator[] = [
  attacks,
  checklist,
  commands,
  kinds,
  libraries,
  mutationScores,
  rooms,
  terminal,
]
