//! Dynamo's index on the workload of ../main.ts, for figures of the same run. `index-peer WORKERS BLOCKS` measures the trees,
//! `index-peer frames FILE BLOCK_SIZE` the event frames in FILE (u32 length, then the payload, each). Prints one JSON object a line.

use dynamo_kv_router::indexer::SyncIndexer;
use dynamo_kv_router::protocols::*;
use dynamo_kv_router::zmq_wire::{ZmqEventNormalizer, decode_event_batch};
use dynamo_kv_router::{ConcurrentRadixTreeCompressed, RadixTree};
use std::hint::black_box;
use std::time::Instant;

/// CPU time of the calling thread, seconds: a busy machine says little by its clock.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|ns| ns.parse::<f64>().ok()).unwrap_or(0.0) / 1e9
}

const DEPTH: usize = 512;
const SHARED: usize = 256;

/// As in ../main.ts: xorshift32.
struct Random(u32);

impl Random {
    fn word(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0
    }

    fn hashes(&mut self, count: usize) -> Vec<u64> {
        (0..count).map(|_| u64::from(self.word()) | u64::from(self.word()) << 32).collect()
    }
}

struct Sequence {
    worker: u64,
    local: Vec<u64>,
    engine: Vec<u64>,
}

/// Families of sequences, one a worker, that share their first blocks. A tree that serves all workers needs equal engine hashes there.
fn sequences(workers: usize, blocks: usize, random: &mut Random) -> Vec<Sequence> {
    let mut made = Vec::new();
    for _ in 0..blocks.div_ceil(DEPTH * workers) {
        let (shared, engine_shared) = (random.hashes(SHARED), random.hashes(SHARED));
        for worker in 0..workers {
            let local = [shared.clone(), random.hashes(DEPTH - SHARED)].concat();
            let engine = [engine_shared.clone(), random.hashes(DEPTH - SHARED)].concat();
            made.push(Sequence { worker: worker as u64, local, engine });
        }
    }
    made
}

fn stored(sequence: &Sequence) -> RouterEvent {
    let blocks = sequence
        .local
        .iter()
        .zip(&sequence.engine)
        .map(|(&local, &engine)| KvCacheStoredBlockData {
            block_hash: ExternalSequenceBlockHash(engine),
            tokens_hash: LocalBlockHash(local),
            mm_extra_info: None,
        })
        .collect();
    let data = KvCacheEventData::Stored(KvCacheStoreData { parent_hash: None, start_position: None, blocks });
    RouterEvent::new(sequence.worker, KvCacheEvent { event_id: 0, data, dp_rank: 0 })
}

fn quantile(times: &mut [f64], share: f64) -> f64 {
    times.sort_by(f64::total_cmp);
    times[(times.len() as f64 * share) as usize]
}

/// Microseconds of one search, p50 and p99, each the mean of 16 in a row.
fn find_times(prompts: &[Vec<LocalBlockHash>], mut find: impl FnMut(&[LocalBlockHash])) -> [f64; 2] {
    let mut times: Vec<f64> = (0..4_000)
        .map(|round| {
            let prompt = &prompts[(round * 7_919) % prompts.len()];
            let from = Instant::now();
            for _ in 0..16 {
                find(prompt);
            }
            from.elapsed().as_nanos() as f64 / 16_000.0
        })
        .collect();
    [quantile(&mut times, 0.5), quantile(&mut times, 0.99)]
}

fn local_hashes(hashes: &[u64]) -> Vec<LocalBlockHash> {
    hashes.iter().map(|&hash| LocalBlockHash(hash)).collect()
}

fn resident_bytes() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    text.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok()).unwrap_or(0) * 4_096
}

fn report(name: &str, build: f64, bytes: u64, blocks: usize, times: [[f64; 2]; 3]) {
    println!(
        "{{\"name\":\"{name}\",\"blocks\":{blocks},\"build_blocks_per_second\":{build:.0},\"bytes_per_block\":{:.0},\"find_us\":{{\"hit\":{:?},\"shared\":{:?},\"miss\":{:?}}}}}",
        bytes as f64 / blocks as f64,
        times[0],
        times[1],
        times[2]
    );
}

fn measure_trees(workers: usize, blocks: usize) {
    let mut random = Random(workers as u32 | 1);
    let sequences = sequences(workers, blocks, &mut random);
    let held = sequences.len() * DEPTH;
    let hit: Vec<_> = sequences.iter().map(|each| local_hashes(&each.local)).collect();
    let shared: Vec<_> = sequences
        .iter()
        .take(500)
        .map(|each| local_hashes(&[each.local[..SHARED].to_vec(), random.hashes(DEPTH - SHARED)].concat()))
        .collect();
    let miss: Vec<_> = (0..500).map(|_| local_hashes(&random.hashes(DEPTH))).collect();

    let before = resident_bytes();
    let mut tree = RadixTree::new();
    let mut seconds = 0.0;
    for event in sequences.iter().map(stored) {
        let from = cpu_seconds();
        tree.apply_event(event).expect("a store");
        seconds += cpu_seconds() - from;
    }
    let build = held as f64 / seconds;
    let bytes = resident_bytes().saturating_sub(before);
    let times = [&hit, &shared, &miss].map(|prompts| {
        find_times(prompts, |prompt| {
            black_box(tree.find_matches(prompt.to_vec(), false));
        })
    });
    report("RadixTree", build, bytes, held, times);
    drop(tree);

    let events: Vec<_> = sequences.iter().map(stored).collect();
    let tree = std::sync::Arc::new(ConcurrentRadixTreeCompressed::new());
    let (sender, receiver) = flume::unbounded();
    for event in events {
        sender.send(dynamo_kv_router::indexer::WorkerTask::Event(event)).expect("a running worker");
    }
    sender.send(dynamo_kv_router::indexer::WorkerTask::Terminate).expect("a running worker");
    let thread = std::thread::spawn({
        let tree = tree.clone();
        move || {
            let from = cpu_seconds();
            tree.worker(receiver, None).expect("a worker that ends well");
            cpu_seconds() - from
        }
    });
    let build = held as f64 / thread.join().expect("a worker that ends");
    let times = [&hit, &shared, &miss].map(|prompts| {
        find_times(prompts, |prompt| {
            black_box(tree.find_matches(prompt, false));
        })
    });
    report("ConcurrentRadixTreeCompressed", build, 0, held, times);
}

fn read_frames(path: &str) -> Vec<Vec<u8>> {
    let bytes = std::fs::read(path).expect("a readable file of frames");
    let mut frames = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let length = u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes")) as usize;
        frames.push(bytes[at + 4..at + 4 + length].to_vec());
        at += 4 + length;
    }
    frames
}

fn blocks_of(event: &RouterEvent) -> usize {
    match &event.event.data {
        KvCacheEventData::Stored(data) => data.blocks.len(),
        _ => 0,
    }
}

fn measure_frames(path: &str, block_size: u32) {
    let frames = read_frames(path);
    let worker = WorkerWithDpRank::new(0, 0);
    let mut best = [f64::INFINITY; 3];
    let mut blocks = 0;
    for _ in 0..5 {
        let from = cpu_seconds();
        let batches: Vec<_> = frames.iter().map(|frame| decode_event_batch(frame).expect("a batch")).collect();
        best[0] = best[0].min(cpu_seconds() - from);

        let mut normalizer = ZmqEventNormalizer::new(block_size);
        let mut tree = RadixTree::new();
        blocks = 0;
        let from = cpu_seconds();
        for batch in batches {
            for raw in batch.events {
                let event = normalizer.normalize(raw, 0, worker).expect("an event").into_router_event().expect("a worker's");
                blocks += blocks_of(&event);
                tree.apply_event(event).expect("a store");
            }
        }
        best[1] = best[1].min(cpu_seconds() - from);

        let mut normalizer = ZmqEventNormalizer::new(block_size);
        let mut tree = RadixTree::new();
        let from = cpu_seconds();
        for frame in &frames {
            for raw in decode_event_batch(frame).expect("a batch").events {
                let event = normalizer.normalize(raw, 0, worker).expect("an event").into_router_event().expect("a worker's");
                tree.apply_event(event).expect("a store");
            }
        }
        best[2] = best[2].min(cpu_seconds() - from);
    }
    let rate = |seconds: f64| blocks as f64 / seconds;
    println!(
        "{{\"name\":\"RadixTree\",\"blocks\":{blocks},\"decode\":{:.0},\"decoded_events\":{:.0},\"frames\":{:.0}}}",
        rate(best[0]),
        rate(best[1]),
        rate(best[2])
    );
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.as_slice() {
        [command, path, block_size] if command == "frames" => measure_frames(path, block_size.parse().expect("a block size")),
        [workers, blocks] => measure_trees(workers.parse().expect("a number of workers"), blocks.parse().expect("a number of blocks")),
        _ => panic!("index-peer WORKERS BLOCKS | index-peer frames FILE BLOCK_SIZE"),
    }
}
