//! x
#![allow(clippy::print_stdout)]
use tabiya_lab::traps::*; use tabiya_chess::trap::*;
fn main(){ for r in pairing::table(){ println!("{} {} (published {}) {:?} published {:?} | {:?}",r.pair,r.equal,r.published_equal,r.top,r.published_top,r.matches); }
 let four: Vec<&Trap> = library().iter().take(4).collect();
 let t=std::time::Instant::now();
 let rows=detection::table(&four,&detection::Method::ALL,|n|println!("{n} {:?}",t.elapsed()));
 for r in &rows { println!("{}",r.csv()); }
 for s in detection::Summary::of(&rows){println!("{s:?}");}
 for t in four { let s=Survey::of(t); println!("{:?}",sampling::above_mean(&s,5,1)); let p=sampling::pairs(&s,100); for c in [4,8,12,16,24] {println!("{:?}",sampling::sample_error(&p,c,1));} }
}
