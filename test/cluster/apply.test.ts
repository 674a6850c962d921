/** What lib/clusters/apply does to a real cluster. One serves all stories, each test with a namespace of its own. */
import { applyBed } from './apply-bed.ts'
import { appliesKindsFirst } from './stories/applies-kinds-first.ts'
import { prunes } from './stories/prunes.ts'
import { recreates } from './stories/recreates.ts'
import { reportsFaults } from './stories/reports-faults.ts'
import { seesHealth } from './stories/sees-health.ts'
import { sharesObjects } from './stories/shares-objects.ts'
import { writesWhatDiffers } from './stories/writes-what-differs.ts'

const bed = await applyBed()

writesWhatDiffers(bed)
sharesObjects(bed)
reportsFaults(bed)
appliesKindsFirst(bed)
recreates(bed)
prunes(bed)
seesHealth(bed)
